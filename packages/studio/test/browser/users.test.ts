import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { chooseGerman } from './editors.ts'
import { takePicture } from './pictures.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const MAIL_SERVER = new URL('../../../../../dist/test/support/mail-server.js', import.meta.url)

interface MailServer {
  readonly url: string
  readonly mails: readonly { readonly to: readonly string[]; readonly text: string }[]
  close(): Promise<void>
}

const toUser = (onUserDelete: string) => ({
  type: 'relation',
  relation: 'manyToOne',
  target: 'plugin::users-permissions.user',
  onUserDelete,
})

/** Content that refers to users in each way. */
function typesOfUsers(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-users-'))
  const note = {
    kind: 'collectionType',
    collectionName: 'notes',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    attributes: {
      text: { type: 'string' },
      owner: toUser('delete'),
      lastEditor: toUser('anonymize'),
      fan: toUser('keep'),
    },
  }
  writeFileSync(join(folder, 'note.json'), JSON.stringify(note))
  return folder
}

describeInBrowser('users of apps', () => {
  let mail: MailServer
  let server: Server
  let window: Window
  let page: Page
  let types: string
  before(async () => {
    types = typesOfUsers()
    mail = await (await import(MAIL_SERVER.href)).startMailServer()
    server = await startServer({ SMTP_URL: mail.url, CONTENT_TYPES_DIR: types })
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
    await mail.close()
    rmSync(types, { recursive: true })
  })

  const open = async (title = 'Users'): Promise<void> => {
    await page.goto(`${server.address}/studio/settings/users`)
    await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor()
  }
  const row = (name: string): Locator => page.getByRole('listitem').filter({ hasText: name })
  const inMenu = async (name: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: `More: ${name}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const create = (username: string, more: object = {}): Promise<unknown> =>
    server.ask('POST', '/admin/users', {
      username,
      email: `${username}@example.org`,
      password: 'correct horse',
      ...more,
    })

  it('begin with an empty list, which offers to create one', async () => {
    await open()
    await page.getByText('No users yet').waitFor()
    expect(await page.getByRole('search').count()).to.equal(0)
    await expectAccessible(page, 'no users')
    await takePicture(page, 'users-empty')
    await page.getByRole('button', { name: 'New user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Username').fill('li')
    await dialog.getByLabel('E-mail', { exact: true }).fill('li@example.org')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('At least 3 characters').waitFor()
    await expectAccessible(page, 'new user')
    await takePicture(page, 'users-new')
    await dialog.getByLabel('Username').fill('lise')
    await page.keyboard.press('Enter')
    await page.getByText('An invitation was sent to li@example.org').waitFor()
    await row('lise').getByText('li@example.org · Authenticated').waitFor()
    await row('lise').getByText('Not confirmed').waitFor()
    expect(mail.mails.at(-1)?.to).to.deep.equal(['li@example.org'])
  })

  it('are blocked, which can be undone, and get a mail to choose a password', async () => {
    await create('marie', { confirmed: true })
    await open()
    await inMenu('marie', 'Block')
    await page.getByText('marie is blocked and signed out everywhere').waitFor()
    await row('marie').getByText('Blocked', { exact: true }).waitFor()
    await expectAccessible(page, 'a blocked user')
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('marie').getByText('Blocked', { exact: true }).waitFor({ state: 'detached' })
    await inMenu('marie', 'Send password mail')
    await page.getByText('A mail to choose a password was sent to marie@example.org').waitFor()
    expect(mail.mails.at(-1)?.to).to.deep.equal(['marie@example.org'])
  })

  it('get another name, role and password by keyboard', async () => {
    await server.ask('POST', '/admin/roles', { name: 'Readers', type: 'readers' })
    await open()
    const edit = page.getByRole('button', { name: 'Edit: marie' })
    await edit.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Username').fill('maria')
    await dialog.getByRole('button', { name: 'Role' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Readers')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Username').focus()
    await page.keyboard.press('Enter')
    await row('maria').getByText('marie@example.org · Readers').waitFor()
    await inMenu('maria', 'Set password')
    await dialog.getByLabel('New password').fill('short')
    await page.keyboard.press('Enter')
    await dialog.getByText('At least 6 characters', { exact: true }).waitFor()
    await dialog.getByLabel('New password').fill('a longer one')
    await page.keyboard.press('Enter')
    await page.getByText('Password changed').waitFor()
    const body = JSON.stringify({ identifier: 'maria', password: 'a longer one' })
    const headers = { 'Content-Type': 'application/json' }
    const entered = await fetch(`${server.address}/api/auth/local`, {
      method: 'POST',
      headers,
      body,
    })
    expect(entered.status).to.equal(200)
  })

  it('are found by name, state and role, page by page', async () => {
    for (let n = 10; n < 40; n += 1) await create(`crowd${n}`, { blocked: n % 2 === 0 })
    await open()
    await page.getByText('1–25 of 32').waitFor()
    await takePicture(page, 'users-list')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('26–32 of 32').waitFor()
    await expectAccessible(page, 'users')
    await page.getByRole('searchbox').fill('crowd1')
    await page.getByText('10 of 10').waitFor()
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Not blocked' }).click()
    await page.getByText('5 of 5').waitFor()
    await page.getByRole('searchbox').fill('nobody at all')
    await page.getByText('No matches').waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('option', { name: 'All states' }).click()
    await page.getByRole('button', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Readers' }).click()
    await page.getByText('1 of 1').waitFor()
    await row('maria').waitFor()
  })

  it('are deleted after a warning about their content', async () => {
    await open()
    await page.getByRole('searchbox').fill('lise')
    await inMenu('lise', 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Notes · Owner').waitFor()
    await dialog.getByText('Notes · Last editor').waitFor()
    await dialog.getByText('Notes · Fan').waitFor()
    await expectAccessible(page, 'deletion of a user')
    await takePicture(page, 'users-delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('lise was deleted').waitFor()
    await page.getByText('No matches').waitFor()
  })

  it('fit a phone, in German', async () => {
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 360, height: 720 })
    await open('Benutzer')
    await page.getByText('1–25 von 31').waitFor()
    await expectNoSidewaysScrolling(page, 'users on a phone')
    await expectAccessible(page, 'users on a phone')
    await takePicture(page, 'users-phone')
    await page.getByRole('button', { name: 'Bearbeiten: crowd39' }).click()
    await page.getByRole('dialog').getByLabel('Benutzername').waitFor()
    await takePicture(page, 'users-phone-dialog')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Mehr: crowd39' }).click()
    await page.getByRole('menuitem', { name: 'Passwort-Mail senden' }).waitFor()
    await takePicture(page, 'users-phone-menu')
  })

  it('say that a server without mails sends none', async () => {
    const silent = await startServer({ CONTENT_TYPES_DIR: types })
    const otherWindow = await openBrowser()
    const other = otherWindow.page
    try {
      await beFirst(other, silent)
      await silent.ask('POST', '/admin/users', {
        username: 'nora',
        email: 'nora@example.org',
        password: 'correct horse',
      })
      await other.goto(`${silent.address}/studio/settings/users`)
      await other.getByRole('button', { name: 'More: nora' }).click()
      const item = other.getByRole('menuitem', { name: 'Send password mail' })
      await item.getByText('This server sends no mails').waitFor()
      expect(await item.getAttribute('aria-disabled')).to.equal('true')
      await other.keyboard.press('Escape')
      await other.getByRole('button', { name: 'New user' }).click()
      const dialog = other.getByRole('dialog')
      await dialog.getByLabel('Username').fill('olga')
      await dialog.getByLabel('E-mail', { exact: true }).fill('olga@example.org')
      await dialog.getByRole('button', { name: 'Create' }).click()
      await dialog.getByText('This field is required').waitFor()
    } finally {
      await otherWindow.close()
      await silent.stop()
    }
  })
})
