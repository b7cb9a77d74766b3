import { describe, expect, test } from "bun:test";
import { toFailure, toReadError, toServiceError } from "./errors.ts";

const closed = { code: "ERR_POSTGRES_CONNECTION_CLOSED", message: "Connection closed" };
const said = (errno: string, message: string) => ({ code: "ERR_POSTGRES_SERVER_ERROR", errno, message });

const cutOff = [
  closed,
  said("08P01", "server conn crashed?"),
  said("08P01", "query_timeout"),
  said("08006", "connection failure"),
  said("40003", "the outcome is not known"),
  said("57P01", "terminating connection due to administrator command"),
  said("57P02", "terminating connection because of crash of another server process"),
];
const notBegun = [
  { code: "ERR_POSTGRES_CONNECTION_REFUSED", message: "Failed to connect" },
  { code: "ERR_POSTGRES_CONNECTION_TIMEOUT", message: "Connection timeout after 3s" },
  said("08P01", "query_wait_timeout"),
  said("08P01", "server login has been failing, cached error: connect failed (server_login_retry)"),
  said("08P01", "server shutting down"),
  said("08P01", "client_login_timeout (server down)"),
  said("08P01", "no more connections allowed (max_client_conn)"),
  said("53300", "sorry, too many clients already"),
  said("57P03", "the database system is starting up"),
];
const undone = [
  said("40001", "could not serialize access"),
  said("57014", "canceling statement due to user request"),
  said("25P03", "terminating connection due to idle-in-transaction timeout"),
];

const nameOf = ({ code, errno = code, message }: { code: string; errno?: string; message: string }) =>
  `${errno}: ${message}`;
const named = (errors: readonly { code: string; errno?: string; message: string }[]) =>
  errors.map((error) => [nameOf(error), error] as const);
const errorOf = (error: unknown, mayHaveCommitted: boolean) =>
  toServiceError(toFailure(error, "server:5432"), mayHaveCommitted);

const unknown = {
  code: "ServiceUnavailable",
  message: "The store did not respond in time. It is not known whether the request was carried out.",
};
const nothingSaved = {
  code: "ServiceUnavailable",
  message: "The store cannot be reached now. Nothing was saved; try again.",
};

describe("after something was sent that commits", () => {
  test.each(named(cutOff))("the outcome is not known: %s", (name, error) => {
    expect(errorOf(error, true)).toMatchObject({ ...unknown, cause: `server:5432: ${name}` });
  });

  test.each(named([...notBegun, ...undone]))("nothing was saved: %s", (name, error) => {
    expect(errorOf(error, true)).toMatchObject({ ...nothingSaved, cause: `server:5432: ${name}` });
  });
});

test.each(named([...cutOff, ...notBegun, ...undone]))("before that, nothing was saved: %s", (_, error) => {
  expect(errorOf(error, false)).toMatchObject(nothingSaved);
});

test.each(named([...cutOff, ...notBegun, ...undone]))("a read says nothing of what was saved: %s", (_, error) => {
  const message = "The store cannot be reached now; try again.";
  expect(toReadError(errorOf(error, true))).toMatchObject({ code: "ServiceUnavailable", message });
});
