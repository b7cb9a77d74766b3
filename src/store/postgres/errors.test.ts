import { expect, test } from "bun:test";
import { toFailure, toReadError, toServiceError } from "./errors.ts";

const closed = { code: "ERR_POSTGRES_CONNECTION_CLOSED", message: "Connection closed" };
const serverError = (errno: string, message: string) => ({ code: "ERR_POSTGRES_SERVER_ERROR", errno, message });

const cutOffErrors = [
  closed,
  serverError("08P01", "server conn crashed?"),
  serverError("08P01", "query_timeout"),
  serverError("08006", "connection failure"),
  serverError("40003", "the outcome is not known"),
  serverError("57P01", "terminating connection due to administrator command"),
  serverError("57P02", "terminating connection because of crash of another server process"),
];
const notSentErrors = [
  { code: "ERR_POSTGRES_CONNECTION_REFUSED", message: "Failed to connect" },
  { code: "ERR_POSTGRES_CONNECTION_TIMEOUT", message: "Connection timeout after 3s" },
  serverError("08P01", "query_wait_timeout"),
  serverError("08P01", "server login has been failing, cached error: connect failed (server_login_retry)"),
  serverError("08P01", "server shutting down"),
  serverError("08P01", "client_login_timeout (server down)"),
  serverError("08P01", "no more connections allowed (max_client_conn)"),
  serverError("53300", "sorry, too many clients already"),
  serverError("57P03", "the database system is starting up"),
];
const undoneErrors = [
  serverError("40001", "could not serialize access"),
  serverError("57014", "canceling statement due to user request"),
  serverError("25P03", "terminating connection due to idle-in-transaction timeout"),
];

const withNames = (errors: readonly { code: string; errno?: string; message: string }[]) =>
  errors.map((error) => [`${error.errno ?? error.code}: ${error.message}`, error] as const);
const allErrors = withNames([...cutOffErrors, ...notSentErrors, ...undoneErrors]);
const toError = (error: unknown, mayHaveCommitted: boolean) =>
  toServiceError(toFailure(error, "server:5432"), mayHaveCommitted);

const code = "ServiceUnavailable";
const unknownOutcome = "The store did not respond in time. It is not known whether the request was carried out.";
const nothingSaved = "The store cannot be reached now. Nothing was saved; try again.";

test.each(withNames(cutOffErrors))("the error %s after a commit was sent leaves the outcome unknown", (name, error) => {
  expect(toError(error, true)).toMatchObject({ code, message: unknownOutcome, cause: `server:5432: ${name}` });
});

test.each(withNames([...notSentErrors, ...undoneErrors]))(
  "the error %s means that nothing was saved, even after a commit was sent",
  (name, error) => {
    expect(toError(error, true)).toMatchObject({ code, message: nothingSaved, cause: `server:5432: ${name}` });
  },
);

test.each(allErrors)("the error %s before a commit was sent means that nothing was saved", (_, error) => {
  expect(toError(error, false)).toMatchObject({ code, message: nothingSaved });
});

test.each(allErrors)("if a read fails with the error %s, the message does not mention saving", (_, error) => {
  const message = "The store cannot be reached now; try again.";
  expect(toReadError(toError(error, true))).toMatchObject({ code, message });
});
