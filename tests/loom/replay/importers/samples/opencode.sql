BEGIN TRANSACTION;
CREATE TABLE `message` (
  `id` text PRIMARY KEY,
  `session_id` text NOT NULL,
  `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL,
  `data` text NOT NULL,
  CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
);
INSERT INTO "message" VALUES('msg_219b8d335001d35OVnRPXPS3fW','ses_de6472e14ffeM2fg62lI4JLjdR',1795727872821,1795727878720,'{"role":"user","time":{"created":1795727872821},"agent":"build","model":{"providerID":"loopback","modelID":"scripted"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_219b8dbb6001WF0Nfle7IWzWxO','ses_de6472e14ffeM2fg62lI4JLjdR',1795727874998,1795727878478,'{"parentID":"msg_219b8d335001d35OVnRPXPS3fW","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":7716,"input":7674,"output":42,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727874998,"completed":1795727878477},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_219b8e140001tkRMk1mSW0GIe4','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727876426,1795727878515,'{"role":"user","time":{"created":1795727876426},"agent":"general","model":{"providerID":"loopback","modelID":"scripted"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_219b8e3ab0011QUY0xexjXryGe','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727877035,1795727878023,'{"parentID":"msg_219b8e140001tkRMk1mSW0GIe4","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":6747,"input":6711,"output":36,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727877035,"completed":1795727878022},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_219b8e792001PQseFb0X2sQ0zi','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878034,1795727878308,'{"parentID":"msg_219b8e140001tkRMk1mSW0GIe4","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":6811,"input":6775,"output":36,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727878034,"completed":1795727878307},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_219b8e8b2001xaN9JCjKlnf8zm','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878322,1795727878424,'{"parentID":"msg_219b8e140001tkRMk1mSW0GIe4","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":6854,"input":6840,"output":14,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727878322,"completed":1795727878423},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_219b8e950001GjudbX6APM1dE0','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878480,1795727878629,'{"parentID":"msg_219b8d335001d35OVnRPXPS3fW","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":99009,"input":99000,"output":9,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727878480,"completed":1795727878628},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_219b8e9ea001pJNO1RjvVX8fop','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878634,1795727878739,'{"role":"user","model":{"providerID":"loopback","modelID":"scripted"},"agent":"build","time":{"created":1795727878634},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_219b8ea00001YsXx4ufmW5GTNQ','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878656,1795727878694,'{"role":"assistant","parentID":"msg_219b8e9ea001pJNO1RjvVX8fop","mode":"compaction","agent":"compaction","summary":true,"path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":647,"input":633,"output":14,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727878656,"completed":1795727878693},"finish":"stop"}');
INSERT INTO "message" VALUES('msg_219b8ea27001Cg2KTc9R47KZ6P','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878695,1795727879180,'{"role":"user","time":{"created":1795727878695},"agent":"build","model":{"providerID":"loopback","modelID":"scripted"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_219b8ea2e001A2arcpiW55kG3w','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878702,1795727878831,'{"parentID":"msg_219b8ea27001Cg2KTc9R47KZ6P","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":7757,"input":7721,"output":36,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727878702,"completed":1795727878831},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_219b8eab1001V5VttdkhL2u5a6','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878833,1795727879106,'{"parentID":"msg_219b8ea27001Cg2KTc9R47KZ6P","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":7821,"input":7785,"output":36,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727878833,"completed":1795727879106},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_219b8ebc5001quLYZOfFU9VXOt','ses_de6472e14ffeM2fg62lI4JLjdR',1795727879109,1795727879294,'{"parentID":"msg_219b8ea27001Cg2KTc9R47KZ6P","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/user/count","root":"/"},"cost":0,"tokens":{"total":7864,"input":7850,"output":14,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"scripted","providerID":"loopback","time":{"created":1795727879109,"completed":1795727879288},"finish":"stop"}');
CREATE TABLE `part` (
  `id` text PRIMARY KEY,
  `message_id` text NOT NULL,
  `session_id` text NOT NULL,
  `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL,
  `data` text NOT NULL,
  CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
);
INSERT INTO "part" VALUES('prt_219b8d35900116oOjVIRQfxJQG','msg_219b8d335001d35OVnRPXPS3fW','ses_de6472e14ffeM2fg62lI4JLjdR',1795727874962,1795727874964,'{"type":"text","text":"Count."}');
INSERT INTO "part" VALUES('prt_219b8e105001Wli3dcpbNRbMZy','msg_219b8dbb6001WF0Nfle7IWzWxO','ses_de6472e14ffeM2fg62lI4JLjdR',1795727876357,1795727876359,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8e10c001sdPmfABlB4gzeY','msg_219b8dbb6001WF0Nfle7IWzWxO','ses_de6472e14ffeM2fg62lI4JLjdR',1795727876364,1795727878459,'{"type":"tool","tool":"task","callID":"call_0000x0","state":{"status":"completed","input":{"description":"count","prompt":"Count below.","subagent_type":"general"},"output":"<task id=\"ses_de6471ee2ffeNsbpDCy1FxfvHG\" state=\"completed\">\n<task_result>\nAll done.\n</task_result>\n</task>","metadata":{"parentSessionId":"ses_de6472e14ffeM2fg62lI4JLjdR","sessionId":"ses_de6471ee2ffeNsbpDCy1FxfvHG","model":{"modelID":"scripted","providerID":"loopback"},"truncated":false},"title":"count","time":{"start":1795727876406,"end":1795727878444}}}');
INSERT INTO "part" VALUES('prt_219b8e15d001TArgYqGH3ix87I','msg_219b8e140001tkRMk1mSW0GIe4','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727876462,1795727876464,'{"type":"text","text":"Count below."}');
INSERT INTO "part" VALUES('prt_219b8e4260015W8lAzZVH2Ufkh','msg_219b8e3ab0011QUY0xexjXryGe','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727877158,1795727877160,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8e429001n7RULQ28xnwbZm','msg_219b8e3ab0011QUY0xexjXryGe','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727877161,1795727877208,'{"type":"text","text":"Next.","time":{"start":1795727877161,"end":1795727877207}}');
INSERT INTO "part" VALUES('prt_219b8e42b001qHtt1fmIxxiWGR','msg_219b8e3ab0011QUY0xexjXryGe','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727877163,1795727877997,'{"type":"tool","tool":"bash","callID":"call_0002x0","state":{"status":"completed","input":{"command":"seq 0 3","description":"Numbers"},"output":"0\n1\n2\n3\n","metadata":{"output":"0\n1\n2\n3\n","exit":0,"truncated":false},"title":"seq 0 3","time":{"start":1795727877172,"end":1795727877995}}}');
INSERT INTO "part" VALUES('prt_219b8e770001n1DT9NgwjuIezt','msg_219b8e3ab0011QUY0xexjXryGe','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878000,1795727878001,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":6747,"input":6711,"output":36,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_219b8e832001yXjC7ALi3ddBbM','msg_219b8e792001PQseFb0X2sQ0zi','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878194,1795727878195,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8e834001FykoBwiio3hcrI','msg_219b8e792001PQseFb0X2sQ0zi','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878196,1795727878248,'{"type":"text","text":"Next.","time":{"start":1795727878196,"end":1795727878247}}');
INSERT INTO "part" VALUES('prt_219b8e837001eQ40pHdSSFrEbG','msg_219b8e792001PQseFb0X2sQ0zi','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878199,1795727878285,'{"type":"tool","tool":"bash","callID":"call_0003x0","state":{"status":"completed","input":{"command":"seq 1 4","description":"Numbers"},"output":"1\n2\n3\n4\n","metadata":{"output":"1\n2\n3\n4\n","exit":0,"truncated":false},"title":"seq 1 4","time":{"start":1795727878235,"end":1795727878284}}}');
INSERT INTO "part" VALUES('prt_219b8e897001VRSGtP5Eo3SeEw','msg_219b8e792001PQseFb0X2sQ0zi','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878295,1795727878296,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":6811,"input":6775,"output":36,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_219b8e90a001ZHHyzMwVMg4eC9','msg_219b8e8b2001xaN9JCjKlnf8zm','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878410,1795727878411,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8e90c001ZMiq6hedSH8CHh','msg_219b8e8b2001xaN9JCjKlnf8zm','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878412,1795727878415,'{"type":"text","text":"All done.","time":{"start":1795727878412,"end":1795727878414}}');
INSERT INTO "part" VALUES('prt_219b8e910001a57ukZHGUyQYHa','msg_219b8e8b2001xaN9JCjKlnf8zm','ses_de6471ee2ffeNsbpDCy1FxfvHG',1795727878416,1795727878416,'{"reason":"stop","type":"step-finish","tokens":{"total":6854,"input":6840,"output":14,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_219b8e941001JYJfC2nYpqNXCy','msg_219b8dbb6001WF0Nfle7IWzWxO','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878465,1795727878466,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":7716,"input":7674,"output":42,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_219b8e9a7001whBA08PjGSVkMH','msg_219b8e950001GjudbX6APM1dE0','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878567,1795727878569,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8e9b2001AasnGrc488BxvL','msg_219b8e950001GjudbX6APM1dE0','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878578,1795727878624,'{"type":"tool","tool":"bash","callID":"call_0005x0","state":{"status":"completed","input":{"command":"ls","description":"x"},"output":"(no output)","metadata":{"output":"(no output)","exit":0,"truncated":false},"title":"ls","time":{"start":1795727878594,"end":1795727878623}}}');
INSERT INTO "part" VALUES('prt_219b8e9e1001raaVuAF88snCBM','msg_219b8e950001GjudbX6APM1dE0','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878625,1795727878626,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":99009,"input":99000,"output":9,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_219b8e9eb001kYjipFFaJIWhgr','msg_219b8e9ea001pJNO1RjvVX8fop','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878635,1795727878636,'{"type":"compaction","auto":true,"overflow":false}');
INSERT INTO "part" VALUES('prt_219b8ea10001EJoodPckJLHQp9','msg_219b8ea00001YsXx4ufmW5GTNQ','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878672,1795727878677,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8ea16001BOmJklSCeToc90','msg_219b8ea00001YsXx4ufmW5GTNQ','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878678,1795727878681,'{"type":"text","text":"All done.","time":{"start":1795727878678,"end":1795727878680}}');
INSERT INTO "part" VALUES('prt_219b8ea1e001CA7F9C2ofI0pBO','msg_219b8ea00001YsXx4ufmW5GTNQ','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878686,1795727878686,'{"reason":"stop","type":"step-finish","tokens":{"total":647,"input":633,"output":14,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_219b8ea28001yIPf0DTxrWn963','msg_219b8ea27001Cg2KTc9R47KZ6P','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878696,1795727878696,'{"type":"text","metadata":{"compaction_continue":true},"synthetic":true,"text":"Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.","time":{"start":1795727878696,"end":1795727878696}}');
INSERT INTO "part" VALUES('prt_219b8ea8a001ubEjgxsrbKur1C','msg_219b8ea2e001A2arcpiW55kG3w','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878794,1795727878795,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8ea8c001uf4jnM8nCnE9v6','msg_219b8ea2e001A2arcpiW55kG3w','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878796,1795727878806,'{"type":"text","text":"Next.","time":{"start":1795727878796,"end":1795727878805}}');
INSERT INTO "part" VALUES('prt_219b8ea8e001B4ZWQNirduDjOR','msg_219b8ea2e001A2arcpiW55kG3w','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878798,1795727878827,'{"type":"tool","tool":"bash","callID":"call_0007x0","state":{"status":"completed","input":{"command":"seq 0 3","description":"Numbers"},"output":"0\n1\n2\n3\n","metadata":{"output":"0\n1\n2\n3\n","exit":0,"truncated":false},"title":"seq 0 3","time":{"start":1795727878802,"end":1795727878826}}}');
INSERT INTO "part" VALUES('prt_219b8eaac00159P4fDn5fw0fgn','msg_219b8ea2e001A2arcpiW55kG3w','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878828,1795727878829,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":7757,"input":7721,"output":36,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_219b8eb0c001I0s11dpjo6Xz14','msg_219b8eab1001V5VttdkhL2u5a6','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878924,1795727878925,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8eb17001cudewWDfb2vnGv','msg_219b8eab1001V5VttdkhL2u5a6','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878935,1795727879018,'{"type":"text","text":"Next.","time":{"start":1795727878935,"end":1795727879017}}');
INSERT INTO "part" VALUES('prt_219b8eb19001WNR6bXwFXAgzFK','msg_219b8eab1001V5VttdkhL2u5a6','ses_de6472e14ffeM2fg62lI4JLjdR',1795727878957,1795727879075,'{"type":"tool","tool":"bash","callID":"call_0008x0","state":{"status":"completed","input":{"command":"seq 1 4","description":"Numbers"},"output":"1\n2\n3\n4\n","metadata":{"output":"1\n2\n3\n4\n","exit":0,"truncated":false},"title":"seq 1 4","time":{"start":1795727878988,"end":1795727879074}}}');
INSERT INTO "part" VALUES('prt_219b8eba5001UIuU3N7Y30Giuj','msg_219b8eab1001V5VttdkhL2u5a6','ses_de6472e14ffeM2fg62lI4JLjdR',1795727879077,1795727879090,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":7821,"input":7785,"output":36,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_219b8ec2f001qV70N04fUre22z','msg_219b8ebc5001quLYZOfFU9VXOt','ses_de6472e14ffeM2fg62lI4JLjdR',1795727879215,1795727879216,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_219b8ec4e001DCM2Jnh3f4nHMa','msg_219b8ebc5001quLYZOfFU9VXOt','ses_de6472e14ffeM2fg62lI4JLjdR',1795727879247,1795727879264,'{"type":"text","text":"All done.","time":{"start":1795727879246,"end":1795727879263}}');
INSERT INTO "part" VALUES('prt_219b8ec61001F3QvZXCQZkDVW8','msg_219b8ebc5001quLYZOfFU9VXOt','ses_de6472e14ffeM2fg62lI4JLjdR',1795727879277,1795727879279,'{"reason":"stop","type":"step-finish","tokens":{"total":7864,"input":7850,"output":14,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
CREATE TABLE `project` (
  `id` text PRIMARY KEY,
  `worktree` text NOT NULL,
  `vcs` text,
  `name` text,
  `icon_url` text,
  `icon_url_override` text,
  `icon_color` text,
  `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL,
  `time_initialized` integer,
  `sandboxes` text NOT NULL,
  `commands` text
);
INSERT INTO "project" VALUES('global','/',NULL,NULL,NULL,NULL,NULL,1795727870434,1795727870434,NULL,'[]',NULL);
CREATE TABLE `session` (
  `id` text PRIMARY KEY,
  `project_id` text NOT NULL,
  `workspace_id` text,
  `parent_id` text,
  `slug` text NOT NULL,
  `directory` text NOT NULL,
  `path` text,
  `title` text NOT NULL,
  `version` text NOT NULL,
  `share_url` text,
  `summary_additions` integer,
  `summary_deletions` integer,
  `summary_files` integer,
  `summary_diffs` text,
  `metadata` text,
  `cost` real DEFAULT 0 NOT NULL,
  `tokens_input` integer DEFAULT 0 NOT NULL,
  `tokens_output` integer DEFAULT 0 NOT NULL,
  `tokens_reasoning` integer DEFAULT 0 NOT NULL,
  `tokens_cache_read` integer DEFAULT 0 NOT NULL,
  `tokens_cache_write` integer DEFAULT 0 NOT NULL,
  `revert` text,
  `permission` text,
  `agent` text,
  `model` text,
  `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL,
  `time_compacting` integer,
  `time_archived` integer,
  CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
);
INSERT INTO "session" VALUES('ses_de6472e14ffeM2fg62lI4JLjdR','global',NULL,NULL,'sunny-sailor','/home/user/count','/home/user/count','All done.','1.18.33',NULL,0,0,0,NULL,NULL,0.0,130663,151,0,0,0,NULL,'Count as you are told. Numbers come in lines. Stop at the last one.','build','{"id":"scripted","providerID":"loopback","variant":"default"}',1795727872491,1795727879352,NULL,NULL);
INSERT INTO "session" VALUES('ses_de6471ee2ffeNsbpDCy1FxfvHG','global',NULL,'ses_de6472e14ffeM2fg62lI4JLjdR','silent-pixel','/home/user/count','/home/user/count','count (@general subagent)','1.18.33',NULL,0,0,0,NULL,NULL,0.0,20326,86,0,0,0,NULL,'Count as you are told. Numbers come in lines. Stop at the last one.','general','{"id":"scripted","providerID":"loopback","variant":"default"}',1795727876381,1795727878511,NULL,NULL);
COMMIT;
