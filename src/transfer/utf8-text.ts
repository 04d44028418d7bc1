import { ApplicationError } from '../base/errors.ts'

/**
 * A decoder of a text that comes in pieces; without one it is at its end. What is not UTF-8 is refused: in its place
 * a replacement character would be stored.
 * @throws ApplicationError that begins with what `where` says
 */
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
