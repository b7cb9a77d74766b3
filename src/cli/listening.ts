import { integer, setting } from "../config.ts";

/** Where the service listens, and is asked whether it is ready. */
export const portSetting = setting(integer(0, 65535), {
  flag: "port",
  environment: "PORT",
  placeholder: "NUMBER",
  help: "The port to listen on; 0 for any free port.",
  expects: "an integer from 0 to 65535",
  default: "8080",
});

export const hostSetting = setting((text) => text || undefined, {
  flag: "host",
  environment: "HOST",
  placeholder: "NAME",
  help: "The host name or address to listen on; 0.0.0.0 for all.",
  expects: "a host name or an address",
  default: "127.0.0.1",
});
