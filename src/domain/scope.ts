/** Each scope includes the scopes before it. */
export const scopes = ["read", "write", "admin"] as const;
export type Scope = (typeof scopes)[number];

export function includesScope(held: Scope, needed: Scope): boolean {
  return scopes.indexOf(held) >= scopes.indexOf(needed);
}
