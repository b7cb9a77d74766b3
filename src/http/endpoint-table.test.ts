import { expect, test } from "bun:test";
import { EndpointTable } from "./endpoint-table.ts";
import type { Endpoint } from "./route-parts.ts";

const paths = ["/", "/v1/pets", "/v1/pets:batch", "/v1/pets/:petId", "/v1/orders/latest", "/v1/orders/:id/:part"];
const endpointsByPath = new Map<string, Endpoint>(
  paths.map((path) => [path, () => ({ status: 200, headers: {}, body: path })]),
);
const pathsByEndpoint = new Map([...endpointsByPath].map(([path, endpoint]) => [endpoint, path]));
const table = new EndpointTable(endpointsByPath);

test.each([
  ["/", "/", {}],
  ["/v1/pets", "/v1/pets", {}],
  ["/v1/pets:batch", "/v1/pets:batch", {}],
  ["/v1/pets/12", "/v1/pets/:petId", { petId: "12" }],
  ["/v1/pets/a%2Fb%C3%A9", "/v1/pets/:petId", { petId: "a/bé" }],
  ["/v1/pets/%ff", "/v1/pets/:petId", { petId: "%ff" }],
  ["/v1/orders/1/2", "/v1/orders/:id/:part", { id: "1", part: "2" }],
])("the path %s matches the endpoint at %s", (path, expected, params) => {
  const match = table.find(path);
  expect([match && pathsByEndpoint.get(match.endpoint), match?.params]).toEqual([expected, params]);
});

test.each(["", "/v1", "/v1/pets/", "/v1/pets/1/", "//v1/pets", "/V1/pets", "/v1/p%65ts", "/v1/orders/1", "/v1/x/1"])(
  "no endpoint matches the path %p",
  (path) => {
    expect(table.find(path)).toBeUndefined();
  },
);
