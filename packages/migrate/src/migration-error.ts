/** An export that cannot be converted, with a message for the user. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
