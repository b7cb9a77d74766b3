/** The key that an `Authorization` header carries, if it carries one. */
export function parseBearerToken(authorization: string | null): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? "")?.[1]?.trimEnd();
}
