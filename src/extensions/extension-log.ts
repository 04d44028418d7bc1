type Write = (fieldsOrMessage: object | string, message?: string) => void

/** The log of the server. Its lines have the name of the extension. */
export interface ExtensionLog {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
}
