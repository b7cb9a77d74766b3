// @bun
var __defProp = Object.defineProperty;
var __returnValue = (v) => v;
function __exportSetter(name, newValue) {
  this[name] = __returnValue.bind(null, newValue);
}
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, {
      get: all[name],
      enumerable: true,
      configurable: true,
      set: __exportSetter.bind(all, name)
    });
};
var __esm = (fn, res, err) => () => {
  if (fn)
    try {
      res = fn(fn = 0);
    } catch (e) {
      err = [e];
    }
  if (err)
    throw err[0];
  return res;
};

// src/domain/errors.ts
var ServiceError, PassingError;
var init_errors = __esm(() => {
  ServiceError = class ServiceError extends Error {
    code;
    name = "ServiceError";
    constructor(code, message, cause) {
      super(message, { cause });
      this.code = code;
    }
  };
  PassingError = class PassingError extends ServiceError {
    retryAfterSeconds;
    constructor(code, message, retryAfterSeconds) {
      super(code, message);
      this.retryAfterSeconds = retryAfterSeconds;
    }
  };
});

// src/store/sqlite/file/paths.ts
import { statSync } from "fs";
function logOf(path) {
  return `${path}-wal`;
}
function logIndexOf(path) {
  return `${path}-shm`;
}
function journalOf(path) {
  return `${path}-journal`;
}
function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
var init_paths = () => {};

// src/store/sqlite/file/log.ts
import { closeSync, openSync, readSync } from "fs";
function readLog(path) {
  if (sizeOf(logOf(path)) < logHeaderBytes)
    return;
  const file = openSync(logOf(path), "r");
  try {
    return readFrames(file);
  } finally {
    closeSync(file);
  }
}
function isAnyPageMissing(inFile, { pageCount, pages }) {
  for (let page = inFile + 1;page <= pageCount; page++)
    if (!pages.has(page))
      return true;
  return false;
}
function readFrames(file) {
  const header = Buffer.alloc(logHeaderBytes);
  readSync(file, header, 0, logHeaderBytes, 0);
  const frameLength = frameHeaderBytes + header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  const frame = Buffer.alloc(frameHeaderBytes);
  const pages = new Set;
  const uncommitted = [];
  let pageCount = 0;
  for (let at = logHeaderBytes;readSync(file, frame, 0, frameHeaderBytes, at) === frameHeaderBytes; at += frameLength) {
    if (!frame.subarray(8, 16).equals(salts))
      break;
    uncommitted.push(frame.readUInt32BE(0));
    const countAfterCommit = frame.readUInt32BE(4);
    if (countAfterCommit === 0)
      continue;
    for (const page of uncommitted.splice(0))
      pages.add(page);
    pageCount = countAfterCommit;
  }
  return pageCount === 0 ? undefined : { pageCount, pages };
}
function logLength({ frames, pageSize }) {
  return frames === 0 ? 0 : logHeaderBytes + frames * (frameHeaderBytes + pageSize);
}
var logHeaderBytes = 32, frameHeaderBytes = 24;
var init_log = __esm(() => {
  init_paths();
});

// src/store/sqlite/file/log-index.ts
import { closeSync as closeSync2, fstatSync, openSync as openSync2, readSync as readSync2 } from "fs";

class LogIndex {
  #file;
  #words = new Uint32Array(34);
  #halves = new Uint16Array(this.#words.buffer);
  constructor(path) {
    this.#file = openSync2(logIndexOf(path), "r");
  }
  get isRemoved() {
    return fstatSync(this.#file).nlink === 0;
  }
  read() {
    const words = this.#words;
    do {
      readSync2(this.#file, words, 0, words.byteLength, 0);
    } while (words[4] !== words[16] || words[8] !== words[20] || words[9] !== words[21]);
    return {
      frames: words[4] ?? 0,
      pageSize: this.#halves[7] === 1 ? 65536 : this.#halves[7] ?? 0,
      pageCount: words[5] ?? 0,
      folded: words[24] ?? 0,
      beingFolded: words[32] ?? 0,
      salt: words[8] ?? 0,
      otherSalt: words[9] ?? 0
    };
  }
  close() {
    closeSync2(this.#file);
  }
}
var init_log_index = __esm(() => {
  init_paths();
});

// src/store/sqlite/file/guard.ts
import { statSync as statSync2 } from "fs";

class FileGuard {
  #path;
  #logPath;
  #database;
  #index;
  #log;
  #file;
  #state;
  constructor(path, database) {
    this.#path = path;
    this.#logPath = logOf(path);
    this.#database = database;
    this.#index = new LogIndex(path);
    this.#log = statSync2(this.#logPath);
    this.#file = statSync2(path);
    this.#state = this.#index.read();
  }
  check() {
    const file = statSync2(this.#path, orNothing);
    if (!isSame(file, this.#file))
      throw new FileLost("its file was removed or replaced");
    const log = statSync2(this.#logPath, orNothing);
    if (!log)
      throw new FileLost(`its -wal file was removed${this.#rescue()}`);
    if (!isSame(log, this.#log))
      throw new FileLost("its -wal file was replaced");
    if (this.#index.isRemoved)
      throw new FileLost("its -shm file was removed or replaced");
    const state = this.#index.read();
    if (log.size < logLength(state) && this.#isLogCutOff())
      throw new FileLost("its -wal file was cut off");
    if (file.size < this.#file.size && this.#isFileCutOff())
      throw new FileLost("its file was cut off");
    if (file.mtimeMs !== this.#file.mtimeMs && !this.#mayBeFolded()) {
      throw new FileLost("its file was overwritten; to restore a backup, stop the service first, then use animal-store restore");
    }
    this.#file = file;
    this.#state = state;
  }
  close() {
    this.#index.close();
  }
  #rescue() {
    try {
      const done = this.#database.query("PRAGMA wal_checkpoint(FULL)").get();
      return done?.busy === 0 ? "; what was in it has been put into the file" : "";
    } catch {
      return "";
    }
  }
  #isLogCutOff() {
    const expected = logLength(this.#index.read());
    return sizeOf(this.#logPath) < expected && logLength(this.#index.read()) === expected;
  }
  #isFileCutOff() {
    const { pageCount, pageSize } = this.#index.read();
    const there = Math.floor(sizeOf(this.#path) / pageSize);
    return there === 0 || isAnyPageMissing(there, { pageCount, pages: readLog(this.#path)?.pages ?? new Set });
  }
  #mayBeFolded() {
    const { folded, beingFolded, salt, otherSalt } = this.#index.read();
    return folded !== this.#state.folded || beingFolded !== this.#state.beingFolded || beingFolded > folded || salt !== this.#state.salt || otherSalt !== this.#state.otherSalt;
  }
}
function isSame(one, other) {
  return one?.ino === other.ino && one.dev === other.dev;
}
var FileLost, orNothing;
var init_guard = __esm(() => {
  init_log();
  init_log_index();
  init_paths();
  FileLost = class FileLost extends Error {
    name = "FileLost";
  };
  orNothing = { throwIfNoEntry: false };
});

// src/store/sqlite/errors.ts
import { SQLiteError } from "bun:sqlite";
function toFailure(error) {
  if (error instanceof ReportedFailure)
    return error.failure;
  if (error instanceof FileLost)
    return { code: fileLost, message: error.message };
  if (error instanceof SQLiteError)
    return { code: error.code ?? "SQLITE_ERROR", message: error.message };
  return { code: "UNKNOWN", message: String(error) };
}
function isOwnFault({ code }) {
  return code.startsWith("SQLITE_CONSTRAINT");
}
function isDamage({ code }) {
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}
function isFaultOfFile(failure) {
  return isDamage(failure) || failure.code.startsWith("SQLITE_IOERR");
}
function isPassing({ code }) {
  return ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_CANTOPEN"].some((name) => code.startsWith(name));
}
function toReadError(failure) {
  return otherError(failure, "The store cannot be reached now; try again.", damagedText);
}
function toWriteError(failure) {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (code === "SQLITE_FULL") {
    return new ServiceError("InsufficientStorage", "The store's disk is full. Nothing was saved.", cause);
  }
  if (code.startsWith("SQLITE_CONSTRAINT") && message.includes("last_id")) {
    return new ServiceError("InsufficientStorage", "The store has used up its ids. Nothing was saved.", cause);
  }
  if (/^SQLITE_IOERR_(DIR_)?FSYNC$/.test(code))
    return new ServiceError("ServiceUnavailable", unknownOutcomeText, cause);
  return otherError(failure, cannotWriteText, `${damagedText} Nothing was saved.`);
}
function otherError(failure, whenPassing, whenDamaged) {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (isDamage(failure)) {
    const advice = "stop the service, and restore a backup with animal-store restore FILE --replace";
    return new ServiceError("ServiceUnavailable", whenDamaged, `${cause}; ${advice}`);
  }
  return passing.some((name) => code.startsWith(name)) ? new ServiceError("ServiceUnavailable", whenPassing, cause) : new ServiceError("InternalServerError", "Something went wrong in the service.", cause);
}
var ReportedFailure, cannotWriteText = "The store cannot be reached now. Nothing was saved; try again.", unknownOutcomeText = "The store did not respond in time. It is not known whether the request was carried out.", damagedText = "The store's database is damaged, and must be restored.", fileLost = "FILE_LOST", passing;
var init_errors2 = __esm(() => {
  init_errors();
  init_guard();
  ReportedFailure = class ReportedFailure extends Error {
    failure;
    constructor(failure) {
      super(failure.message);
      this.failure = failure;
    }
  };
  passing = [
    fileLost,
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_PROTOCOL"
  ];
});

// src/store/sqlite/backup/backup-worker.ts
init_errors2();
import { Database } from "bun:sqlite";
self.onmessage = ({ data: { source, target } }) => {
  try {
    const copied = copySnapshot(source, target);
    verify(target, copied);
    reply({ counts: copied.counts });
  } catch (error) {
    reply({ failure: toFailure(error) });
  }
};
function copySnapshot(source, target) {
  using database = new Database(source, { readwrite: true, strict: true });
  database.run("PRAGMA busy_timeout = 5000");
  database.run("ATTACH ? AS copy", [target]);
  database.run("PRAGMA copy.journal_mode = MEMORY");
  database.run("PRAGMA copy.synchronous = OFF");
  database.run("BEGIN");
  const schema = schemaOf(database);
  reply({ totalBytes: bytesOf(database) });
  using made = new Database(target, { readwrite: true, strict: true });
  prepareCopy(made, database);
  for (const { type, sql } of schema)
    if (type !== "trigger")
      made.run(sql);
  const tables = namesOfTables(schema);
  for (const name of tables)
    database.run(`INSERT INTO copy."${name}" SELECT * FROM main."${name}"`);
  database.run("DELETE FROM copy.sqlite_sequence");
  database.run("INSERT INTO copy.sqlite_sequence SELECT * FROM main.sqlite_sequence");
  const counts = countsOf(database, tables);
  database.run("COMMIT");
  for (const { type, sql } of schema)
    if (type === "trigger")
      made.run(sql);
  return { schema, counts };
}
function schemaOf(database) {
  return database.query(`SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY rowid`).all();
}
function namesOfTables(schema) {
  return schema.filter(({ type }) => type === "table").map(({ name }) => name);
}
function bytesOf(database) {
  const pages = pragmaOf(database, "page_count") - pragmaOf(database, "freelist_count");
  return pages * pragmaOf(database, "page_size");
}
function prepareCopy(made, original) {
  made.run("PRAGMA journal_mode = MEMORY");
  made.run("PRAGMA synchronous = OFF");
  for (const name of ["page_size", "application_id", "user_version"]) {
    made.run(`PRAGMA ${name} = ${pragmaOf(original, name)}`);
  }
}
function pragmaOf(database, name) {
  return Object.values(database.query(`PRAGMA main.${name}`).get() ?? {})[0] ?? 0;
}
function countsOf(database, tables) {
  return Object.fromEntries(tables.map((name) => {
    const row = database.query(`SELECT count(*) AS count FROM main."${name}"`).get();
    return [name, row?.count ?? 0];
  }));
}
function verify(target, { schema, counts }) {
  using copy = new Database(target, { readonly: true, strict: true });
  const row = copy.query("PRAGMA integrity_check(1)").get();
  if (row?.integrity_check !== "ok")
    throw new Error(`the copy is damaged: ${row?.integrity_check}`);
  const namesAndTexts = (rows) => JSON.stringify(rows.map(({ name, sql }) => [name, sql]).sort());
  if (namesAndTexts(schemaOf(copy)) !== namesAndTexts(schema))
    throw new Error("the copy has another schema");
  const copied = countsOf(copy, namesOfTables(schema));
  for (const [name, count] of Object.entries(counts)) {
    if (copied[name] !== count)
      throw new Error(`the copy has ${copied[name]} rows in ${name}, not ${count}`);
  }
}
function reply(message) {
  self.postMessage(message);
}
