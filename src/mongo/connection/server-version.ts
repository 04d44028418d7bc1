import type { Database } from './database.ts'

export interface ServerVersion {
  /** As the server says it, such as `8.0.4`. */
  readonly text: string
  isAtLeast(major: number, minor: number): boolean
}

export function parseServerVersion(text: string): ServerVersion {
  const [major = 0, minor = 0] = text.split('.').map((part) => Number.parseInt(part, 10))
  return {
    text,
    isAtLeast: (wantedMajor, wantedMinor) =>
      major > wantedMajor || (major === wantedMajor && minor >= wantedMinor),
  }
}

/** @throws CmsError for what the database refuses (`toCmsError`) */
export async function readServerVersion(database: Database): Promise<ServerVersion> {
  const { version } = await database.command({ buildInfo: 1 })
  return parseServerVersion(String(version))
}

/**
 * Null, or why Quire cannot run on a server of this version: orders through relations and fallback locales take
 * `$lookup` with `localField` and `pipeline` together, new in 5.0. 4.9 is the line in which that was developed, and has it.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/lookup/
 */
export function refusalOf(version: ServerVersion): string | null {
  return version.isAtLeast(4, 9)
    ? null
    : `MongoDB ${version.text} is too old: at least 5.0 is needed`
}
