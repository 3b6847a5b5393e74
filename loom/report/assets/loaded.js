// The data of the page.

let data = null;

/** The JSON of the page, decompressed where it is large. */
async function loaded() {
  const held = byId("data");
  if (held.type === "application/json") return JSON.parse(held.textContent);
  const coded = atob(held.textContent);
  const packed = new Uint8Array(coded.length);
  for (let at = 0; at < coded.length; at++) packed[at] = coded.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
