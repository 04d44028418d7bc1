import { expect } from 'chai'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { ADA, beFirst } from './signed-in.ts'

const PERIOD_MS = 30_000

describeInBrowser('the second factor', () => {
  let server: Server
  let window: Window
  let page: Page
  let secret = ''
  let recoveryCodes: readonly string[] = []
  /** The next step, whose code the server accepts too: a code of the current step may be used. */
  const nextCode = (): string =>
    new TOTP({ secret }).generate({ timestamp: Date.now() + PERIOD_MS })
  const usedRecoveryCodes = new Set<string>()
  const recoveryCode = (): string => {
    const code = recoveryCodes.find((one) => !usedRecoveryCodes.has(one)) ?? ''
    usedRecoveryCodes.add(code)
    return code
  }
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const section = () => page.getByRole('region', { name: 'Second factor' })
  const openAccount = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/settings/account`)
    await section().waitFor()
  }
  const enterPassword = async (): Promise<void> => {
    await page.context().clearCookies()
    await page.goto(`${server.address}/studio/sign-in`)
    await page.getByLabel('E-mail').fill(ADA.email)
    await page.getByLabel('Password').fill(ADA.password)
    await page.keyboard.press('Enter')
    await page.getByLabel('Code', { exact: true }).waitFor()
  }
  const enterCode = async (code: string): Promise<void> => {
    await page.getByLabel('Code', { exact: true }).fill(code)
    await page.keyboard.press('Enter')
  }
  const readCodes = (): Promise<string[]> =>
    page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts()

  it('sets up an app by the keyboard, with the password and a code', async () => {
    await openAccount()
    await section().getByRole('button', { name: 'Set up an app' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').fill('not the password')
    await page.keyboard.press('Enter')
    await dialog.getByText(/current password is wrong/).waitFor()
    await dialog.getByLabel('Current password').fill(ADA.password)
    await page.keyboard.press('Enter')
    await dialog.getByRole('img', { name: 'QR code' }).waitFor()
    secret = await dialog.getByLabel('Key').inputValue()
    expect(secret).to.match(/^[A-Z2-7]{32}$/)
    await expectAccessible(page, 'second factor')
    expect(
      await dialog
        .getByLabel('Code', { exact: true })
        .evaluate((one) => one === document.activeElement),
    ).to.equal(true)
    await dialog.getByLabel('Code', { exact: true }).fill('000000')
    await page.keyboard.press('Enter')
    await dialog.getByText('This code is not valid').waitFor()
    await dialog.getByLabel('Code', { exact: true }).fill(new TOTP({ secret }).generate())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    recoveryCodes = await readCodes()
    expect(new Set(recoveryCodes)).to.have.property('size', 10)
    await expectAccessible(page, 'recovery codes')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Done' }).press('Enter')
    await section().getByText('10 recovery codes left').waitFor()
    await expectAccessible(page, 'account with a second factor')
  })

  it('asks for a code after the password', async () => {
    await enterPassword()
    await expectAccessible(page, 'second step of the sign-in')
    await enterCode('000000')
    await page.getByRole('alert').getByText('This code is not valid').waitFor()
    await enterCode(nextCode())
    await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
  })

  it('goes back to the password and accepts a recovery code', async () => {
    await enterPassword()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByLabel('Password').waitFor()
    await enterPassword()
    await enterCode(recoveryCode())
    await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
    await openAccount()
    await section().getByText('9 recovery codes left').waitFor()
  })

  it('asks for a code over the open screen', async () => {
    await openAccount()
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You have been signed out').waitFor()
    await dialog.getByLabel('Password').fill(ADA.password)
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Code', { exact: true }).fill(recoveryCode())
    await page.keyboard.press('Enter')
    await page.getByText('Saved').first().waitFor()
  })

  it('asks for a new sign-in to renew recovery codes with an old session', async () => {
    await openAccount()
    let isOld = true
    await page.route('**/admin/me/totp/recovery-codes', async (route) => {
      if (!isOld) return route.continue()
      isOld = false
      const error = { status: 403, name: 'ForbiddenError', message: 'old', details: {} }
      return route.fulfill({
        status: 403,
        headers: { 'Error-Code': 'recent_sign_in_required' },
        json: { data: null, error },
      })
    })
    await section().getByRole('button', { name: 'New recovery codes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('more than ten minutes ago').waitFor()
    await expectAccessible(page, 'new sign-in')
    await dialog.getByLabel('Password').fill(ADA.password)
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Code', { exact: true }).fill(recoveryCode())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    const renewed = await readCodes()
    expect(renewed).to.not.include(recoveryCodes[0])
    recoveryCodes = renewed
    await page.getByRole('button', { name: 'Done' }).click()
    await page.unroute('**/admin/me/totp/recovery-codes')
  })

  it('resets the second factor of another administrator', async () => {
    const { data } = await server.ask('POST', '/admin/administrators', {
      name: 'Bob',
      email: 'bob@example.com',
      roles: ['editor'],
      password: ADA.password,
    })
    const cookie = await sessionOf('bob@example.com')
    const begun = await asPage(cookie, '/admin/me/totp', { currentPassword: ADA.password })
    const code = new TOTP({ secret: begun.data.secret }).generate()
    await asPage(cookie, '/admin/me/totp/confirm', { code })
    await page.goto(`${server.address}/studio/settings/administrators`)
    const bob = page.getByRole('listitem').filter({ hasText: 'bob@example.com' })
    await bob.getByRole('button', { name: 'Reset second factor' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Reset the second factor of Bob?').waitFor()
    await dialog.getByRole('button', { name: 'Reset second factor' }).click()
    await page.getByText('Second factor removed').waitFor()
    const { data: people } = await server.ask('GET', '/admin/administrators')
    expect(people.find(({ id }: { id: string }) => id === data.id).hasTotp).to.equal(false)
  })

  it('asks for a code after a password by link', async () => {
    const { data: people } = await server.ask('GET', '/admin/administrators')
    const { id } = people.find(({ email }: { email: string }) => email === ADA.email)
    const { data } = await server.ask('POST', `/admin/administrators/${id}/reset`)
    await page.context().clearCookies()
    await page.goto(data.link)
    await page.getByLabel('Password').fill(ADA.password)
    await page.keyboard.press('Enter')
    await enterCode(recoveryCode())
    await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
  })

  it('removes the second factor', async () => {
    await openAccount()
    await section().getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await section().getByText('No code required').waitFor()
  })

  async function sessionOf(email: string): Promise<string> {
    const answer = await fetch(`${server.address}/admin/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: server.address },
      body: JSON.stringify({ email, password: ADA.password }),
    })
    const [cookie = ''] = answer.headers.getSetCookie()
    return cookie.split(';')[0] ?? ''
  }

  async function asPage(cookie: string, target: string, body: object) {
    const answer = await fetch(server.address + target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: server.address, Cookie: cookie },
      body: JSON.stringify(body),
    })
    const json = await answer.json()
    expect(answer.ok, JSON.stringify(json)).to.equal(true)
    return json
  }
})
