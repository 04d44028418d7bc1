import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from '../browser/accessibility.ts'
import { describeInBrowser, type Window } from '../browser/browser.ts'
import type { Answer } from '../browser/server.ts'
import { type Atlas, openDevice, permit, PIXEL, startAtlas } from './atlas-app.ts'

describeInBrowser('the notebook of the example app', () => {
  let atlas: Atlas
  let phone: Window
  const windows: Window[] = []

  before(async function () {
    this.timeout(180_000) // the sample comes into the database
    atlas = await startAtlas()
    phone = await openAnna(true)
  })
  after(async () => {
    for (const window of windows) await window.close()
    await atlas.stop()
  })

  const openAnna = async (isNew = false): Promise<Window> => {
    const window = await openDevice(atlas, 'anna', isNew)
    windows.push(window)
    return window
  }

  const open = (page: Page, path: string) => page.goto(`${atlas.address}/#/notebook${path}`)
  const shows = (page: Page, state: string) =>
    page.locator('main > p', { hasText: state }).waitFor()
  const title = (page: Page) => page.getByLabel('Title')
  const text = (page: Page) => page.getByLabel('Text')
  const pathOf = (page: Page): string => new URL(page.url()).hash.replace('#/notebook', '')

  /** Neither the phone nor its app has a network. */
  async function cut(): Promise<void> {
    await phone.context.setOffline(true)
    await atlas.goDown()
  }

  async function mend(): Promise<void> {
    await atlas.comeBack()
    await phone.context.setOffline(false)
  }

  async function write(page: Page, name: string, content: string): Promise<string> {
    await open(page, '')
    await page.getByRole('button', { name: 'New note' }).click()
    await title(page).fill(name)
    await text(page).fill(content)
    await text(page).blur()
    await shows(page, 'Sent')
    return pathOf(page)
  }

  const valueIs = (page: Page, label: string, value: string) =>
    page.waitForFunction(
      ([of, expected]) =>
        [...document.querySelectorAll('label')].some(
          ({ textContent, control }) =>
            textContent.startsWith(of ?? '') &&
            (control as HTMLTextAreaElement | null)?.value === expected,
        ),
      [label, value],
    )

  const storedNotes = async (query = ''): Promise<Answer> =>
    (await atlas.server.ask('GET', `/api/notes?populate=*${query}`)).data

  it('keeps text and picture of a note when the network fails while the user types', async () => {
    const { page } = phone
    await write(page, 'Trip', '')
    await expectAccessible(page, 'note')
    await expectNoSidewaysScrolling(page, 'note')
    await text(page).focus()
    await page.keyboard.type('We fly to ', { delay: 40 })
    await Promise.all([page.keyboard.type('Reykjavik and drive north. ', { delay: 40 }), cut()])
    await page.keyboard.type('Then home.', { delay: 20 })
    const photo = { name: 'geyser.png', mimeType: 'image/png', buffer: PIXEL }
    await page.getByLabel('Picture').first().setInputFiles(photo)
    await page.locator('img.photo').waitFor()
    await shows(page, 'Saved on this device')
    await page.reload()
    await page.locator('img.photo').waitFor()
    const typed = 'We fly to Reykjavik and drive north. Then home.'
    expect(await text(page).inputValue()).to.equal(typed)
    await shows(page, 'Saved on this device')
    await mend()
    await shows(page, 'Sent')
    const notes = await storedNotes()
    expect(notes).to.have.length(1)
    expect(notes[0]).to.include({ title: 'Trip', text: typed })
    expect(notes[0].picture).to.include({ name: 'geyser.png', mime: 'image/png' })
    const bytes = await fetch(new URL(notes[0].picture.url, atlas.server.address))
    expect(Buffer.from(await bytes.arrayBuffer()).equals(PIXEL)).to.equal(true)
    const files = await atlas.server.ask('GET', '/api/upload/files?filters[name]=geyser.png')
    expect(files).to.have.length(1)
  })

  it('sends a note and a picture once although the responses are lost', async () => {
    const { page } = phone
    await cut()
    await open(page, '')
    await page.getByRole('button', { name: 'New note' }).click()
    await title(page).fill('Lost')
    await title(page).blur()
    const photo = { name: 'lost.png', mimeType: 'image/png', buffer: PIXEL }
    await page.getByLabel('Picture').first().setInputFiles(photo)
    await shows(page, 'Saved on this device')
    const lost: string[] = []
    const loseOnce = async (route: Route): Promise<void> => {
      const { pathname } = new URL(route.request().url())
      if (lost.includes(pathname)) return route.continue()
      lost.push(pathname)
      await route.fetch()
      return route.abort()
    }
    await phone.context.route(/\/api\/(?:_push|upload)$/, loseOnce)
    await mend()
    await shows(page, 'Sent')
    await phone.context.unroute(/\/api\/(?:_push|upload)$/, loseOnce)
    expect(lost.sort()).to.deep.equal(['/api/_push', '/api/upload'])
    const notes = await storedNotes('&filters[title]=Lost')
    expect(notes.map((note: Answer) => note.picture.name)).to.deep.equal(['lost.png'])
    const files = await atlas.server.ask('GET', '/api/upload/files?filters[name]=lost.png')
    expect(files).to.have.length(1)
  })

  it('merges changes of two devices, and asks about the same title', async () => {
    const { page } = phone
    const path = await write(page, 'Plan', 'buy bread and milk')
    const { page: tablet } = await openAnna()
    await open(tablet, path)
    await valueIs(tablet, 'Text', 'buy bread and milk')
    await cut()
    await title(page).fill('Shopping')
    await text(page).fill('buy fresh bread and milk')
    await text(page).blur()
    await shows(page, 'Saved on this device')
    await atlas.comeBack() // the tablet has a network
    await text(tablet).fill('buy bread and cold milk')
    await text(tablet).blur()
    await shows(tablet, 'Sent')
    await phone.context.setOffline(false)
    for (const device of [page, tablet]) {
      await valueIs(device, 'Title', 'Shopping')
      await valueIs(device, 'Text', 'buy fresh bread and cold milk')
    }
    await shows(page, 'Sent')
    await cut()
    await title(page).fill('Errands')
    await title(page).blur()
    await shows(page, 'Saved on this device')
    await atlas.comeBack()
    await title(tablet).fill('Chores')
    await title(tablet).blur()
    await shows(tablet, 'Sent')
    await phone.context.setOffline(false)
    await page.getByText('You and another device have changed the same text.').waitFor()
    await expectAccessible(page, 'conflict')
    await valueIs(page, 'Title', 'Chores')
    await page.getByText('Mine: Errands').waitFor()
    await page.getByText('Theirs: Chores').waitFor()
    await page.getByRole('button', { name: 'Use mine' }).press('Enter')
    await valueIs(tablet, 'Title', 'Errands')
    await shows(page, 'Sent')
    expect(await storedNotes('&filters[title]=Errands')).to.have.length(1)
  })

  it('shows the reason of a refusal, and tries again or discards', async () => {
    const { page } = phone
    await write(page, 'Kept', 'first')
    await atlas.server.ask('PUT', '/admin/roles/authenticated', {
      permissions: ['api::note.note.push'],
      rules: ['find', 'findOne', 'sync'].map((verb) => ({
        action: `api::note.note.${verb}`,
        where: { owner: '$user' },
      })),
    })
    await text(page).fill('second')
    await text(page).blur()
    await page.getByText('The server refused this: Forbidden').waitFor()
    await valueIs(page, 'Text', 'first')
    await page.getByText('Mine: second').waitFor()
    await open(page, '')
    await page.getByRole('link', { name: 'Kept' }).getByText('Not accepted').waitFor()
    await page.getByRole('link', { name: 'Kept' }).click()
    await permit(atlas.server)
    await page.getByRole('button', { name: 'Try again' }).click()
    await shows(page, 'Sent')
    expect(await storedNotes('&filters[text]=second')).to.have.length(1)
    const poem = { name: 'poem.txt', mimeType: 'text/plain', buffer: Buffer.from('a poem') }
    await page.getByLabel('Picture').first().setInputFiles(poem)
    await page.getByText('The server refused this:').waitFor()
    await page.getByRole('button', { name: 'Discard my change' }).click()
    await shows(page, 'Sent')
    expect(await page.locator('img.photo').count()).to.equal(0)
    expect(await page.locator('.refusal h2').count()).to.equal(0)
  })
})
