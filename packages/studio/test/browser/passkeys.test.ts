import { expect } from 'chai'
import type { CDPSession, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { ADA, beFirst, signIn } from './signed-in.ts'

describeInBrowser('passkeys', function () {
  let server: Server
  let window: Window
  let page: Page
  let cdp: CDPSession
  let authenticatorId: string
  before(async () => {
    server = await startServer({}, 'dist/src/server/main.js', 'localhost')
    window = await openBrowser()
    page = window.page
    cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    ;({ authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }))
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const openAccount = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/settings/account`)
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
  }
  const add = async (name: string, password = ADA.password): Promise<void> => {
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('Current password').fill(password)
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  }
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  const toSignIn = async (): Promise<void> => {
    await page.context().clearCookies()
    await page.goto(`${server.address}/studio/sign-in`)
  }
  const signInByPasskey = () => page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  const verified = (isUserVerified: boolean) =>
    cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })

  it('requires the password to add a passkey with a name', async () => {
    await openAccount()
    await add('Laptop', 'not the password')
    await page
      .getByRole('dialog')
      .getByText(/current password is wrong/)
      .waitFor()
    await page.keyboard.press('Escape')
    await add('Laptop')
    await page.getByText('Passkey added').waitFor()
    await row('Laptop').waitFor()
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials).to.have.length(1)
    expect(credentials[0]).to.include({ rpId: 'localhost', isResidentCredential: true })
    await expectAccessible(page, 'passkeys')
  })

  it('signs in without e-mail and password, repeatedly', async () => {
    for (let time = 0; time < 2; time += 1) {
      await toSignIn()
      await signInByPasskey()
      await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
    }
    await openAccount()
    await row('Laptop')
      .getByText(/last used/)
      .waitFor()
  })

  it('refuses a sign-in without user verification', async () => {
    await verified(false)
    await toSignIn()
    await signInByPasskey()
    await page.getByRole('alert').getByText('No passkey was used.').waitFor()
    await verified(true)
  })

  it('signs in again over the open screen', async () => {
    await signIn(page, server)
    await openAccount()
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByRole('dialog').getByText('You have been signed out').waitFor()
    await signInByPasskey()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('refuses a signed response that was already used', async () => {
    await toSignIn()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/session/passkey')) sent.push(request.postData() ?? '')
    })
    await signInByPasskey()
    await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
    const again = await page.evaluate(async (body) => {
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch('/admin/session/passkey', { method: 'POST', headers, body })
      return { status: answer.status, code: answer.headers.get('Error-Code') }
    }, sent[0] ?? '')
    expect(again).to.deep.equal({ status: 400, code: 'invalid_passkey' })
  })

  it('detects a copied passkey by its counter', async () => {
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    if (credential === undefined) throw new Error('there is no passkey')
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    await cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    })
    await toSignIn()
    await signInByPasskey()
    await page.getByRole('alert').getByText('This passkey is not registered here').waitFor()
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    await cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: credential.signCount + 10 },
    })
    await signInByPasskey()
    await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
  })

  it('renames and deletes a passkey, which then cannot sign in', async () => {
    await openAccount()
    await row('Laptop').getByRole('button', { name: /^More/ }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Old laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await row('Old laptop').getByRole('button', { name: /^More/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No passkeys yet').waitFor()
    await toSignIn()
    await signInByPasskey()
    await page.getByRole('alert').getByText('This passkey is not registered here').waitFor()
  })

  it('hides passkeys under an IP address', async () => {
    const plain = await startServer()
    try {
      await beFirst(page, plain)
      await page.context().clearCookies()
      await page.goto(`${plain.address}/studio/sign-in`)
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(await page.getByRole('button', { name: /passkey/ }).count()).to.equal(0)
    } finally {
      await plain.stop()
    }
  })
})
