import type { Reason } from '../base/errors.ts'

export interface LocatedFault {
  readonly file: string
  /** Keys joined by dots. Empty for the whole file. */
  readonly path: string
  /** Includes the file and the path. */
  readonly sentence: string
  readonly reason: Reason
}

/** Invalid content-type declarations, with all faults. */
export class SchemaError extends Error {
  readonly faults: readonly string[]
  /** Empty if the faults are about stored values or the folder. */
  readonly located: readonly LocatedFault[]

  constructor(faults: readonly string[], located: readonly LocatedFault[] = []) {
    super(`The content-types cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'SchemaError'
    this.faults = faults
    this.located = located
  }

  static at(located: readonly LocatedFault[]): SchemaError {
    return new SchemaError(
      located.map(({ sentence }) => sentence),
      located,
    )
  }
}
