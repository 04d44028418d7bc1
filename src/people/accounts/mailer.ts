export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Links {
  /** If null, mails contain only the code. */
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

/** The text contains codes, so it is logged at `debug` only. */
export function loggingMailer(log: MailLog): Mailer {
  return {
    send: ({ to, subject, text }) => {
      log.info({ to, subject }, 'Mail not sent: SMTP_URL is not set')
      log.debug({ to, subject }, text)
      return Promise.resolve()
    },
  }
}
