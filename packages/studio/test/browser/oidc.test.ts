import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { describeInBrowser, openBrowser } from './browser.ts'
import { findFreePort, startServer } from './server.ts'

const PROVIDER = fileURLToPath(
  new URL('../../../../../dist/test/support/run-identity-provider.js', import.meta.url),
)

interface Provider {
  readonly issuer: string
  stop(): void
}

function startProvider(subject: string, redirectUri: string): Promise<Provider> {
  const child = spawn(process.execPath, [PROVIDER, subject, redirectUri], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the provider has ended')))
    // To the end: what nobody reads would stop it.
    createInterface({ input: child.stdout }).on('line', (line) => {
      const issuer = /^issuer (.+)$/.exec(line)?.[1]
      if (issuer !== undefined) resolve({ issuer, stop: () => void child.kill() })
    })
  })
}

describeInBrowser('sign-in with an identity provider', () => {
  const enter = async (subject: string, roles: string) => {
    const port = await findFreePort()
    const back = `http://127.0.0.1:${port}/admin/oidc/callback`
    const provider = await startProvider(subject, back)
    const server = await startServer({
      PORT: String(port),
      OIDC_ISSUER: provider.issuer,
      OIDC_ALLOW_HTTP: 'on',
      OIDC_CLIENT_ID: 'quire',
      OIDC_CLIENT_SECRET: 'the secret of the client',
      OIDC_LABEL: 'Example',
      OIDC_SCOPE: 'openid email profile groups',
      OIDC_ROLES: roles,
    })
    const root = { name: 'Root', email: 'root@example.org', roles: ['administrator'] }
    await server.ask('POST', '/admin/administrators', root)
    const window = await openBrowser()
    await window.page.goto(`${server.address}/studio/sign-in`)
    await window.page.getByRole('link', { name: 'Continue with Example' }).click()
    const close = async (): Promise<void> => {
      await window.close()
      await server.stop()
      provider.stop()
    }
    return { page: window.page, close }
  }

  it('signs in the person that the provider returns', async () => {
    const { page, close } = await enter('emily', 'staff=editor')
    try {
      await page.getByRole('heading', { level: 1, name: 'Emily Dickinson' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Emily Dickinson' }).waitFor()
    } finally {
      await close()
    }
  })

  it('returns to the sign-in with an error for a person without access', async () => {
    const { page, close } = await enter('stranger', 'staff=editor')
    try {
      await page.getByText('You do not have access').waitFor()
      expect(await page.getByRole('link', { name: 'Continue with Example' }).count()).to.equal(1)
    } finally {
      await close()
    }
  })
})
