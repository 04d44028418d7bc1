import { expect } from 'chai'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { ADA, beFirst } from './signed-in.ts'

const MAIL_SERVER = new URL('../../../../../dist/test/support/mail-server.js', import.meta.url)

interface MailServer {
  readonly url: string
  readonly mails: readonly { readonly to: readonly string[]; readonly text: string }[]
  close(): Promise<void>
}

describeInBrowser('a forgotten password', () => {
  let mail: MailServer
  let server: Server
  let window: Window
  before(async () => {
    mail = await (await import(MAIL_SERVER.href)).startMailServer()
    server = await startServer({ SMTP_URL: mail.url })
    window = await openBrowser()
    await beFirst(window.page, server)
    await window.context.clearCookies()
  })
  after(async () => {
    await window.close()
    await server.stop()
    await mail.close()
  })

  it('is replaced by the link of a mail', async () => {
    const { page } = window
    await page.goto(`${server.address}/studio/sign-in`)
    await expectAccessible(page, 'sign in')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByRole('heading', { level: 1, name: 'Reset password' }).waitFor()
    await expectAccessible(page, 'forgot password')
    await page.getByLabel('E-mail').fill(ADA.email)
    await page.keyboard.press('Enter')
    await page.getByText('If an account with a password has this address').waitFor()
    await expectAccessible(page, 'link sent')
    const end = Date.now() + 30_000
    while (mail.mails.length === 0 && Date.now() < end) await page.waitForTimeout(50)
    const [{ to, text } = { to: [], text: '' }] = mail.mails
    expect(to).to.deep.equal([ADA.email])
    const [link = ''] =
      /http\S+#token=[\w-]+/.exec(text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')) ?? []
    await page.goto(link)
    await page.getByLabel('Password').fill('another horse battery')
    await page.getByRole('button', { name: 'Save and sign in' }).click()
    await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
  })

  it('says the same for an unknown address, in German on a phone', async () => {
    const german = await openBrowser({ locale: 'de-DE', viewport: { width: 320, height: 640 } })
    const { page } = german
    try {
      await page.goto(`${server.address}/studio/sign-in`)
      await page.getByRole('link', { name: 'Passwort vergessen?' }).click()
      await page.getByLabel('E-Mail').fill('nobody@example.org')
      await page.getByRole('button', { name: 'Link senden' }).click()
      await page.getByText('Wenn ein Konto mit Passwort diese Adresse hat').waitFor()
      await expectNoSidewaysScrolling(page, 'forgot password')
      await page.getByRole('link', { name: 'Zurück zur Anmeldung' }).click()
      await page.getByLabel('Passwort').waitFor()
    } finally {
      await german.close()
    }
  })

  it('needs an administrator where the server sends no mails', async () => {
    const silent = await startServer()
    const { page } = window
    try {
      await beFirst(page, silent)
      await window.context.clearCookies()
      await page.goto(`${silent.address}/studio/forgot-password`)
      await page
        .getByText('This server sends no mails. Ask an administrator for a password link.')
        .waitFor()
      expect(await page.getByRole('textbox').count()).to.equal(0)
      await expectAccessible(page, 'no mails')
    } finally {
      await silent.stop()
    }
  })
})
