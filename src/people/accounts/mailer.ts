export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Addresses that mails lead to. */
export interface Links {
  /** The page that asks for a new password; null: a mail has the code alone. */
  readonly resetPassword: string | null
  readonly emailConfirmation: string
}

export interface Mailer {
  send(mail: Mail): Promise<void>
}

export interface MailLog {
  info(fields: object, message: string): void
  debug(fields: object, message: string): void
}

/** Sends nothing. The log has what would have been sent, and its text, which holds codes, when it is at `debug`. */
export function loggingMailer(log: MailLog): Mailer {
  return {
    send: ({ to, subject, text }) => {
      log.info({ to, subject }, 'Mail not sent: SMTP_URL is not set')
      log.debug({ to, subject }, text)
      return Promise.resolve()
    },
  }
}
