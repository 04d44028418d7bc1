import { loggingMailer, type MailLog, type Mailer } from './mailer.ts'

/** How mails are sent; without an address of a server they are not. */
export interface Sending {
  readonly smtpUrl: string | null
  readonly from: string
}

/** What speaks SMTP is loaded where it is used: it takes memory. */
export async function openMailer({ smtpUrl, from }: Sending, log: MailLog): Promise<Mailer> {
  if (smtpUrl === null) return loggingMailer(log)
  const { smtpMailer } = await import('./smtp-mailer.ts')
  return smtpMailer(smtpUrl, from)
}
