import { EventStream } from "../event-stream.ts";
import type { List } from "../list.ts";
import { Methods, type Options, type Query } from "./methods.ts";

export class Events extends Methods {
  /** What has happened until now. `next` of the last page is where to go on later, unless the newest come first. */
  list(query: Query<"listEvents"> = {}, options?: Options<"listEvents">): List<"listEvents"> {
    return this.listOf("listEvents", query, options);
  }

  /** What has happened and what will, on and on, until you leave the loop or abort the signal. */
  stream(query: Query<"listEvents"> = {}, options: Options<"listEvents"> = {}): EventStream {
    return new EventStream(this.sender, query, options);
  }
}
