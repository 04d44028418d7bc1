import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  chooseGerman,
  fieldAt,
  openAs,
  PERSON,
  PIECE,
  startWithEditors,
  titleOf,
  TYPES,
} from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

describeInBrowser('the entries that link to an entry', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-linked-'))
  let server: Server
  let window: Window
  let page: Page
  let person: string
  let documentId: string
  before(async () => {
    cpSync(TYPES, folder, { recursive: true })
    const file = path.join(folder, 'components/parts/quote.json')
    const quote = JSON.parse(readFileSync(file, 'utf8'))
    quote.attributes.speaker.studio = { label: { en: 'Said by', de: 'Gesagt von' } }
    writeFileSync(file, JSON.stringify(quote))
    const pieceFile = path.join(folder, 'piece.json')
    const piece = JSON.parse(readFileSync(pieceFile, 'utf8'))
    piece.attributes.summary = { type: 'blocks', writable: false }
    writeFileSync(pieceFile, JSON.stringify(piece))
    server = await startWithEditors({ CONTENT_TYPES_DIR: folder })
    window = await openAs(server, 'Ada')
    page = window.page
    person = (await server.ask('POST', PERSON, { data: { name: 'Sappho' } })).data.documentId
    const quotes = [{ text: 'One' }, { text: 'Two', speaker: person }, { text: 'Three' }]
    const sections = [
      { __component: 'parts.chapter', heading: 'First' },
      { __component: 'parts.quote', text: 'In a zone', speaker: person },
    ]
    const link = {
      type: 'link',
      url: '',
      entry: { type: 'api::person.person', documentId: person },
      children: [{ type: 'text', text: 'her' }],
    }
    const story = [{ type: 'paragraph', children: [{ type: 'text', text: 'Of ' }, link] }]
    const data = { title: 'Fragments', author: person, quotes, sections, story }
    documentId = (await server.ask('POST', PIECE, { data })).data.documentId
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const openPerson = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/content/persons/${person}`)
    await page.getByRole('heading', { name: 'Linked from' }).waitFor()
  }
  const row = (field: string): Locator =>
    page.getByRole('complementary').getByRole('listitem').filter({ hasText: field })
  const expectOpened = async (field: string, place: RegExp): Promise<void> => {
    await openPerson()
    await row(field).getByRole('link', { name: 'Fragments' }).click()
    await titleOf(page).waitFor()
    await page.waitForFunction((pattern) => {
      const within = document.activeElement?.closest('[data-field]')
      return new RegExp(pattern).test(within?.getAttribute('data-field') ?? '')
    }, place.source)
    await page.waitForFunction(() => {
      const { top = -1 } = document.activeElement?.getBoundingClientRect() ?? {}
      return top >= 0 && top < innerHeight
    })
    const url = new URL(page.url())
    expect(url.pathname).to.match(new RegExp(`${documentId}$`))
    expect(url.searchParams.has('field')).to.equal(false)
  }

  it('name the attributes on the way to the link', async () => {
    await openPerson()
    const fields = ['Author', 'Quotes › Said by', 'Sections › Said by', 'Story']
    for (const field of fields) await row(field).waitFor()
    await expectAccessible(page, 'the entries that link to an entry')
    await takePicture(page, 'linked-from')
  })

  it('open at a relation, and at a link in blocks', async () => {
    await expectOpened('Author', /^author$/)
    await expectOpened('Story', /^story$/)
  })

  it('open at the component that has the link', async () => {
    await expectOpened('Quotes › Said by', /^quotes\/.+\/speaker$/)
    const second = fieldAt(page, 'quotes').locator('[data-card]').nth(1)
    expect(await second.evaluate((card) => card.contains(document.activeElement))).to.equal(true)
    await takePicture(page, 'linked-from-opened')
    await expectOpened('Sections › Said by', /^sections\/.+\/speaker$/)
  })

  /** Moves the story down as an editor that loads above it. Returns whether it is shown after that. */
  const isFollowed = (): Promise<boolean> =>
    page.evaluate(async () => {
      document.documentElement.style.overflowAnchor = 'none'
      const above = document.createElement('div')
      above.style.height = '5000px'
      document.querySelector('[data-field="title"]')?.before(above)
      for (let frame = 0; frame < 3; frame += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
      const { top = -1 } =
        document.querySelector('[data-field="story"]')?.getBoundingClientRect() ?? {}
      above.remove()
      return top >= 0 && top < innerHeight
    })

  it('stay in view for a moment while editors load above', async () => {
    await expectOpened('Story', /^story$/)
    const end = Date.now() + 20_000
    let isStill = false
    while (!isStill && Date.now() < end) isStill = !(await isFollowed())
    expect(isStill).to.equal(true)
  })

  it('do not scroll when the focus has moved without input', async () => {
    await expectOpened('Story', /^story$/)
    await titleOf(page).evaluate((title) => title.focus({ preventScroll: true }))
    expect(await isFollowed()).to.equal(false)
  })

  describe('while an editor loads', () => {
    let release = (): void => undefined
    beforeEach(async () => {
      const released = new Promise<void>((resolve) => (release = resolve))
      await page.route(/blocks-area.*\.js/, async (route) => {
        await released
        await route.continue()
      })
    })
    afterEach(async () => {
      release()
      await page.unroute(/blocks-area.*\.js/)
    })

    const commentButton = (field: string): Locator =>
      fieldAt(page, field).getByRole('button').first()
    const openLoading = async (field: string): Promise<void> => {
      await page.goto(`${server.address}/studio/content/pieces/${documentId}?field=${field}`)
      await fieldAt(page, field).locator('[data-placeholder]').waitFor()
      await page.waitForURL((url) => !url.searchParams.has('field'))
      await commentButton(field).waitFor()
    }

    it('focus the button of a read-only text', async () => {
      await openLoading('summary')
      release()
      await page.waitForFunction(
        () => document.activeElement?.matches('[data-field="summary"] button') === true,
      )
    })

    it('leave the focus where the user has moved it', async () => {
      await openLoading('story')
      const other = commentButton('author')
      await page.keyboard.press('Tab')
      await other.focus()
      release()
      await fieldAt(page, 'story').locator('.ProseMirror').waitFor()
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
      expect(await other.evaluate((one) => one === document.activeElement)).to.equal(true)
    })
  })

  it('open at the attribute when the link is gone', async () => {
    await openPerson()
    const quotes = [{ text: 'One' }]
    await server.ask('PUT', `${PIECE}/${documentId}`, { data: { quotes } })
    await row('Quotes › Said by').getByRole('link', { name: 'Fragments' }).click()
    await titleOf(page).waitFor()
    await page.waitForFunction(() =>
      document.querySelector('[data-field="quotes"]')?.contains(document.activeElement),
    )
  })

  it('have German labels', async () => {
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/persons/${person}`)
    await row('Sections › Gesagt von').waitFor()
  })
})
