import { ForbiddenError } from '../../base/errors.ts'
import type { ActingAs } from '../../extensions/content-service.ts'
import type { Access } from '../../people/access/access.ts'
import { type Principal, ROOT } from '../../people/access/principal.ts'

export interface PrincipalSource {
  readonly access: Pick<Access, 'principalOfAuthor'>
  readonly principalOfAdministrator: (id: string) => Promise<Principal | null>
}

/** Authors without a credential: commands, background work and other extensions. */
const TRUSTED: ReadonlySet<string> = new Set(['system', 'cli', 'extension', 'root'])

/** @throws ForbiddenError if the principal was deleted, has expired, or is a preview */
export async function findActing(
  { access, principalOfAdministrator }: PrincipalSource,
  acting: ActingAs | undefined,
): Promise<Principal> {
  const as: unknown = acting?.as // maybe from JavaScript, without type checks
  if (as === undefined || as === null) {
    throw new TypeError("content: name the principal: { as: 'system' } or { as: principal }")
  }
  if (acting === undefined || acting.as === 'system' || TRUSTED.has(acting.as.kind)) return ROOT
  const { kind, id } = acting.as
  const principal =
    kind === 'administrator'
      ? await principalOfAdministrator(String(id))
      : await access.principalOfAuthor(acting.as)
  if (principal === null) throw new ForbiddenError('Forbidden')
  return principal
}
