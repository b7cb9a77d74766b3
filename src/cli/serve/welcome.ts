import { basePath } from "../../operations/operation.ts";

export function formatReadyNotice(url: URL, hasPages: boolean): string {
  const address = toReachableUrl(url);
  const ready = `animal-store is ready: the API is at ${address}${basePath}, its OpenAPI document at ${address}${basePath}/openapi.json`;
  return hasPages ? `${ready}\nOpen ${address} in a browser to work with the store.` : ready;
}

/** The printed command makes a new `Idempotency-Key` for each run: a constant one would be refused once the user changes the name of the animal. */
export function formatFirstKeyNotice(key: string, url: URL, hasPages: boolean): string {
  const pets = `${toReachableUrl(url)}${basePath}/pets`;
  return `
  This store had no API key yet, so one was created, with the scope admin.
  It is shown only once: keep it somewhere safe.

    ${key}

  ${hasPages ? "Sign in with it, or add an animal from here" : "Add an animal with it"}:

    curl ${pets} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -H "Idempotency-Key: $(head -c9 /dev/urandom | base64)" -d '{"name": "Rex", "categoryId": 7}'

  List the animals:

    curl ${pets} -H 'Authorization: Bearer ${key}'
`;
}

/** Returns a URL that works on this machine, even if the service listens on all addresses. */
export function toReachableUrl(url: URL): string {
  const host = url.hostname === "0.0.0.0" || url.hostname === "[::]" ? "localhost" : url.hostname;
  return `${url.protocol}//${host}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
}
