import { ApplicationError } from '../base/errors.ts'

/** A call without a chunk ends the text. @throws ApplicationError with `where` for invalid UTF-8 */
export function utf8Text(where: () => string): (piece?: Buffer) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return (piece) => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
    } catch (error) {
      throw new ApplicationError(`${where()} is not UTF-8`, {}, { cause: error })
    }
  }
}
