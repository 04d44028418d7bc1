import { ConflictError } from '../../base/errors.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'

export type SeenVersions = ReadonlyMap<string, string>

/** Another write changed the version that a hook has seen. The hook runs again. */
export class PreviousChanged extends ConflictError {
  constructor() {
    super('Other writes changed this entry at the same time', {}, { code: 'entry_changed' })
    this.name = 'ConflictError'
  }
}

const ATTEMPTS = 3

/** Repeats `work`, including its hooks. @throws PreviousChanged */
export async function retryChanged<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof PreviousChanged)) throw error
    }
  }
}

export function seenVersions(
  versions: readonly StoredVersion[],
  locales: readonly string[],
): SeenVersions {
  return new Map(locales.map((locale) => [locale, revisionsIn(versions, locale)]))
}

/** @throws PreviousChanged */
export function assertSeen(
  seen: SeenVersions | undefined,
  versions: readonly StoredVersion[],
  locales: readonly string[],
): void {
  if (seen === undefined) return
  if (locales.some((locale) => (seen.get(locale) ?? '') !== revisionsIn(versions, locale))) {
    throw new PreviousChanged()
  }
}

function revisionsIn(versions: readonly StoredVersion[], locale: string): string {
  return versions
    .filter((version) => version.locale === locale)
    .map((version) => `${version.status} ${revisionOf(version)}`)
    .sort()
    .join()
}

export function assertSeenVersion(
  seen: StoredVersion | null | undefined,
  current: StoredVersion | null,
): void {
  if (seen === undefined) return
  if (current === null || seen === null) {
    if (current !== seen) throw new PreviousChanged()
  } else if (current.status !== seen.status || revisionOf(current) !== revisionOf(seen)) {
    throw new PreviousChanged()
  }
}
