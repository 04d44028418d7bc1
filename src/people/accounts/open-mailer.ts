import { loggingMailer, type MailLog, type Mailer } from './mailer.ts'

export interface Sending {
  readonly smtpUrl: string | null
  readonly from: string
}

/** Loads the SMTP client on demand, because it uses memory. */
export async function openMailer({ smtpUrl, from }: Sending, log: MailLog): Promise<Mailer> {
  if (smtpUrl === null) return loggingMailer(log)
  const { smtpMailer } = await import('./smtp-mailer.ts')
  return smtpMailer(smtpUrl, from)
}
