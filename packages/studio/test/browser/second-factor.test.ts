import { expect } from 'chai'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { ADA } from './signed-in.ts'

const BOB = { name: 'Bob', email: 'bob@example.com' }

describeInBrowser('a required second factor', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    const policy = { ADMIN_SECOND_FACTOR: 'required' }
    server = await startServer(policy, 'dist/src/server/main.js', 'localhost')
    window = await openBrowser()
    page = window.page
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const setUpScreen = () => page.getByRole('heading', { name: 'Set up a second factor' })
  const enterPassword = async (email: string): Promise<void> => {
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(ADA.password)
    await page.keyboard.press('Enter')
  }

  it('lets the first administrator set up an app only, by the keyboard', async () => {
    await page.goto(await server.firstStartLink())
    await page.getByLabel('Your name').fill(ADA.name)
    await enterPassword(ADA.email)
    await setUpScreen().waitFor()
    await expectAccessible(page, 'a required second factor')
    await page.goto(`${server.address}/studio/media`)
    await setUpScreen().waitFor()
    expect(page.url()).to.equal(`${server.address}/studio/second-factor`)
    await page.getByRole('button', { name: 'Set up an app' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Current password').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await setUpScreen().waitFor()
    await page.getByRole('button', { name: 'Set up an app' }).press('Enter')
    await dialog.getByLabel('Current password').fill(ADA.password)
    await page.keyboard.press('Enter')
    const secret = await dialog.getByLabel('Key').inputValue()
    await dialog.getByLabel('Code', { exact: true }).fill(new TOTP({ secret }).generate())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
  })

  it('accepts a passkey, and then refuses the password alone', async () => {
    const body = { ...BOB, roles: ['editor'], password: ADA.password }
    await server.ask('POST', '/admin/administrators', body)
    await page.context().clearCookies()
    await page.goto(`${server.address}/studio/sign-in`)
    await enterPassword(BOB.email)
    await setUpScreen().waitFor()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByLabel('Current password').fill(ADA.password)
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('heading', { level: 1, name: BOB.name }).waitFor()
    await page.context().clearCookies()
    await page.goto(`${server.address}/studio/sign-in`)
    await enterPassword(BOB.email)
    await page.getByRole('alert').getByText('Sign in with your passkey').waitFor()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { level: 1, name: BOB.name }).waitFor()
  })

  it('signs out of the screen', async () => {
    const body = { name: 'Cy', email: 'cy@example.com', roles: ['editor'], password: ADA.password }
    await server.ask('POST', '/admin/administrators', body)
    await page.context().clearCookies()
    await page.goto(`${server.address}/studio/sign-in`)
    await enterPassword(body.email)
    await setUpScreen().waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail').waitFor()
  })
})
