/** The key that an `Authorization` header carries, if it carries one. */
export function tokenOf(authorization: string | null): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? "")?.[1]?.trimEnd();
}
