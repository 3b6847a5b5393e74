// The search of the site runs in a worker, which a browser does not start for a page that was opened as
// a file. There this class stands in its place: the same script in a hidden frame. The offline plugin
// would load such a class from the network; it does not where a script of this name is given.
if (location.protocol === "file:") {
  const loaded = (inside, url) =>
    new Promise((done, failed) => {
      const script = inside.document.createElement("script");
      script.src = String(url);
      script.onload = done;
      script.onerror = failed;
      inside.document.body.appendChild(script);
    });

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inside = (this.inside = this.frame.contentWindow);
      inside.postMessage = (data) => this.told(data);
      inside.importScripts = (...urls) =>
        urls.reduce((before, one) => before.then(() => loaded(inside, one)), Promise.resolve());
      this.ready = loaded(inside, url);
    }

    told(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }

    postMessage(data) {
      this.ready.then(() =>
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })),
      );
    }

    terminate() {
      this.frame.remove();
    }
  };
}
