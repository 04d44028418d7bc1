import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from '../browser/accessibility.ts'
import { describeInBrowser, type Window } from '../browser/browser.ts'
import type { Answer } from '../browser/server.ts'
import { type Atlas, openDevice, PIXEL, startAtlas } from './atlas-app.ts'

describeInBrowser('the shared lists of the example app', () => {
  let atlas: Atlas
  let anna: Window
  let ben: Window
  let carol: Window
  let list: string

  before(async function () {
    this.timeout(180_000) // the sample comes into the database
    atlas = await startAtlas()
    anna = await openDevice(atlas, 'anna', true)
    ben = await openDevice(atlas, 'ben', true)
    carol = await openDevice(atlas, 'carol', true)
  })
  after(async () => {
    for (const window of [anna, ben, carol]) await window.close()
    await atlas.stop()
  })

  const open = (page: Page, path = '') => page.goto(`${atlas.address}/#/notebook${path}`)
  const add = async (page: Page, item: string): Promise<void> => {
    await page.getByLabel('New item').fill(item)
    await page.getByLabel('New item').press('Enter')
    await page.getByText(item, { exact: true }).waitFor()
  }
  const tickOff = (page: Page, item: string) =>
    page.getByRole('button', { name: `Tick off ${item}` }).press('Enter')
  const itemsAre = (page: Page, expected: readonly string[]) =>
    page.waitForFunction(
      (texts) =>
        [...document.querySelectorAll('.item span')].map((one) => one.textContent).join() === texts,
      expected.join(),
    )
  const isSent = (page: Page) => page.locator('main > p', { hasText: 'Sent' }).waitFor()

  /** A request with the session of a device, past the app. */
  const ask = (
    { page }: Window,
    method: string,
    path: string,
    body?: object | string,
  ): Promise<{ readonly status: number; readonly text: string }> =>
    page.evaluate(
      async (asked) => {
        const { jwt } = JSON.parse(localStorage.getItem('atlas-session') ?? '{}')
        const isText = typeof asked.body === 'string'
        const answer = await fetch(`/api${asked.path}`, {
          method: asked.method,
          headers: {
            Authorization: `Bearer ${jwt}`,
            'Content-Type': isText ? 'application/x-ndjson' : 'application/json',
          },
          ...(asked.body !== undefined && {
            body: isText ? (asked.body as string) : JSON.stringify(asked.body),
          }),
        })
        return { status: answer.status, text: await answer.text() }
      },
      { method, path, body },
    )

  it('shows a list to its owner and to an invited member, not to a stranger', async () => {
    await open(anna.page)
    await anna.page.getByLabel('Name of the list').fill('Groceries')
    await anna.page.getByRole('button', { name: 'New list' }).press('Enter')
    await anna.page.getByRole('heading', { name: 'Groceries' }).waitFor()
    list = new URL(anna.page.url()).hash.split('/').at(-1) ?? ''
    await add(anna.page, 'Milk')
    await add(anna.page, 'Bread')
    await isSent(anna.page)
    const code = await ben.page.locator('code').innerText()
    await open(ben.page)
    await ben.page.getByText('Nothing here yet').first().waitFor()
    await anna.page.getByLabel('Invitation code of the new member').fill('nobody')
    await anna.page.getByRole('button', { name: 'Invite' }).press('Enter')
    await anna.page.getByText('The server refused this:').waitFor()
    await anna.page.getByLabel('Invitation code of the new member').fill(code)
    await anna.page.getByRole('button', { name: 'Invite' }).press('Enter')
    await anna.page.getByText('The member now sees this list.').waitFor()
    await expectAccessible(anna.page, 'list')
    await expectNoSidewaysScrolling(anna.page, 'list')
    await ben.page.getByRole('link', { name: 'Groceries by anna' }).click()
    await itemsAre(ben.page, ['Milk', 'Bread'])
    expect(await ben.page.getByRole('heading', { name: 'Share this list' }).count()).to.equal(0)
    await open(carol.page)
    await expectAccessible(carol.page, 'notebook')
    await expectNoSidewaysScrolling(carol.page, 'notebook')
    await carol.page.getByRole('button', { name: 'New note' }).waitFor()
    expect(await carol.page.getByText('Groceries').count()).to.equal(0)
  })

  it('merges items that the owner and an offline member change', async () => {
    await ben.context.setOffline(true)
    await tickOff(ben.page, 'Milk')
    await add(ben.page, 'Cheese')
    await itemsAre(ben.page, ['Bread', 'Cheese'])
    await ben.page.getByText('Saved on this device').waitFor()
    await tickOff(anna.page, 'Bread')
    await add(anna.page, 'Apples')
    await isSent(anna.page)
    await ben.context.setOffline(false)
    for (const { page } of [anna, ben]) await itemsAre(page, ['Apples', 'Cheese'])
    await isSent(ben.page)
  })

  it('refuses what the rules do not permit, also to direct requests', async () => {
    const note = JSON.parse((await ask(anna, 'POST', '/notes', { data: { title: 'Diary' } })).text)
    const noteId: string = note.data.documentId
    const data = { data: { name: 'Taken' } }
    for (const [type, id, body] of [
      ['lists', list, data],
      ['notes', noteId, { data: { title: 'Taken' } }],
    ] as const) {
      const found = await ask(carol, 'GET', `/${type}`)
      expect(JSON.parse(found.text).data, type).to.deep.equal([])
      for (const method of ['GET', 'PUT'] as const) {
        const given = method === 'GET' ? undefined : body
        const answer = await ask(carol, method, `/${type}/${id}`, given)
        expect(answer.status, `${method} ${type}`).to.equal(404)
      }
    }
    const copy = await ask(carol, 'GET', '/_sync?types=note,list')
    expect(copy.status).to.equal(200)
    expect(JSON.parse(copy.text).items).to.deep.equal([])
    const pushed = await ask(carol, 'POST', '/_push', changesOf(list, noteId))
    const outcomes = pushed.text.trim().split('\n').slice(1)
    expect(outcomes.map((line) => JSON.parse(line).code)).to.deep.equal(['not_found', 'not_found'])
    const member = { members: { connect: [await carol.page.evaluate(ownId)] } }
    for (const body of [data, { data: member }]) {
      expect((await ask(ben, 'PUT', `/lists/${list}`, body)).status).to.equal(403)
    }
    expect((await ask(ben, 'DELETE', `/lists/${list}`)).status).to.equal(403)
    const foreign = { data: { title: 'Taken', owner: null } }
    expect((await ask(carol, 'POST', '/notes', foreign)).status).to.equal(403)
    for (const path of ['/notes', `/notes/${noteId}`, `/lists/${list}`, '/_sync?types=note']) {
      const anonymous = await fetch(`${atlas.address}/api${path}`)
      expect(anonymous.status, path).to.equal(403)
    }
    const { data: kept }: Answer = await atlas.server.ask('GET', `/api/lists/${list}?populate=*`)
    expect(kept.name).to.equal('Groceries')
    expect(kept.members.map((one: Answer) => one.username)).to.deep.equal(['ben'])
  })

  it('shows the picture of a note to its owner only', async () => {
    const { page } = anna
    await open(page)
    await page.getByRole('button', { name: 'New note' }).click()
    const photo = { name: 'secret.png', mimeType: 'image/png', buffer: PIXEL }
    await page.getByLabel('Picture').first().setInputFiles(photo)
    await page.locator('img.photo').waitFor()
    await isSent(page)
    const [file] = await atlas.server.ask('GET', '/api/upload/files?filters[name]=secret.png')
    for (const path of [
      '/upload/files',
      `/upload/files/${file.id}`,
      `/upload/files/${file.id}/address`,
    ]) {
      expect((await ask(carol, 'GET', path)).status, path).to.equal(403)
    }
    const bare = new URL(file.url, atlas.address)
    expect((await fetch(bare)).status).to.equal(200)
    bare.search = ''
    expect((await fetch(bare)).status).to.equal(404)
    const listed = await (await fetch(`${atlas.address}/api/upload/files`)).text()
    expect(listed).to.include('/uploads/').and.not.include('secret')
    const copy = await (await fetch(`${atlas.address}/api/_sync?types=upload.file`)).text()
    expect(copy).to.include('/uploads/').and.not.include('secret')
  })
})

/** A push of a stranger, who knows the ids. */
function changesOf(list: string, note: string): string {
  const changes = [
    ['list', list, 'name', 'Groceries'],
    ['note', note, 'title', 'Diary'],
  ].map(([type, documentId, name = '', value], index) => ({
    n: index + 1,
    op: 'update',
    type,
    documentId,
    base: 'unknown',
    patch: { [name]: { set: 'Taken' } },
    seen: { [name]: value },
  }))
  const lines = [{ client: 'stranger1', log: null, start: 0 }, ...changes]
  return lines.map((line) => JSON.stringify(line)).join('\n')
}

function ownId(): string {
  return JSON.parse(localStorage.getItem('atlas-user') ?? '{}').documentId
}
