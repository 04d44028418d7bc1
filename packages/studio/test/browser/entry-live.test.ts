import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import type { Locator, Page, Request } from 'playwright-core'
import { describeInBrowser, type Window } from './browser.ts'
import {
  fieldAt,
  openAs,
  openPiece,
  PIECE,
  startWithEditors,
  titleOf,
  untilSaved,
  untilStored,
} from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

/** Later than the poll of a form without a stream, and earlier than that of a form with one. */
const POLLED_MS = 16_000
/** In the window of Ada. The next poll of a form without a stream is 15 s later. */
const MAX_SHOWN_MS = 2_000
/** Longer than the pause before an autosave. */
const SAVE_DELAY_MS = 1_000

/** At least the delay before a failed read is repeated. */
const RETRY_MS = 2_000

const STREAM = /\/admin\/presence\?/

const contactIn = (page: Page): Locator => page.getByLabel('Contact', { exact: true })

const LINES = ['One', 'Two']
const TEXTS = {
  story: (lines: readonly string[]) => ({
    story: lines.map((text) => ({ type: 'paragraph', children: [{ type: 'text', text }] })),
  }),
  body: (lines: readonly string[]) => ({ body: lines.join('\n') }),
}

describeInBrowser('live changes of an open entry', function () {
  let server: Server
  let ada: Window
  let grace: Window
  let documentId: string
  let written: string[]
  let made = 0
  /** The requests of Ada without a response, besides her stream. */
  const running = new Set<Request>()
  let onEnd: () => void = () => undefined
  before(async () => {
    server = await startWithEditors()
    ;[ada, grace] = await Promise.all([openAs(server, 'Ada'), openAs(server, 'Grace')])
    await ada.page.clock.install()
    const end = (request: Request): void => {
      running.delete(request)
      onEnd()
    }
    ada.page.on('requestfinished', end)
    ada.page.on('requestfailed', end)
    ada.page.on('request', (request) => {
      if (!STREAM.test(request.url())) running.add(request)
      const isSave = decodeURIComponent(request.url()).includes(PIECE)
      if (isSave && request.method() === 'PUT') written.push(request.postData() ?? '')
    })
  })
  beforeEach(async () => {
    const data = {
      title: 'Shared',
      teaser: 'Teaser',
      slug: `shared-${(made += 1)}`,
      contact: 'ada@example.org',
      pages: 12,
      ...TEXTS.story(LINES),
      ...TEXTS.body(LINES),
    }
    documentId = (await server.ask('POST', PIECE, { data })).data.documentId
    written = []
    await openPiece(grace.page, server, documentId)
    await openPiece(ada.page, server, documentId)
    // The stream of Ada has begun when it shows Grace.
    await untilLive()
  })
  afterEach(() => ada.page.clock.resume())
  after(async () => {
    await ada.close()
    await grace.close()
    await server.stop()
  })

  const contactOf = contactIn
  const teaserOf = (page: Page): Locator => page.getByLabel('Teaser', { exact: true })
  /** Until Ada sees Grace. From then on time passes in her window only by `untilShown`. */
  const untilLive = async (): Promise<void> => {
    await ada.page.locator('main header').getByTitle('Grace').waitFor()
    await ada.page.clock.pauseAt((await ada.page.evaluate(() => Date.now())) + POLLED_MS)
    await ada.page.waitForLoadState('networkidle')
  }
  /** The time of the server does not count. */
  const untilShown = async (isShown: () => Promise<boolean>): Promise<void> => {
    for (let passed = 0; passed < MAX_SHOWN_MS; passed += 1) {
      if (await isShown()) return
      while (running.size > 0) await new Promise<void>((resolve) => (onEnd = resolve))
      await ada.page.clock.runFor(1)
    }
    expect.fail(`not shown: ${isShown.toString()}`)
  }

  /** Until the form of Ada looks for the change. */
  const saveByGrace = async (fieldIn: (page: Page) => Locator, text: string): Promise<void> => {
    const looked = ada.page.waitForResponse(/\/locales$/)
    await fieldIn(grace.page).fill(text)
    await looked
  }

  const saveElsewhere = async (data: object): Promise<void> => {
    const looked = ada.page.waitForResponse(/\/locales$/)
    await server.ask('PUT', `${PIECE}/${documentId}`, { data })
    await looked
  }

  const linesIn = (place: string): Locator => fieldAt(ada.page, place).locator('.cm-line, p')
  const untilLines = (place: string, wanted: readonly string[]): Promise<void> =>
    untilShown(async () => isDeepStrictEqual(await linesIn(place).allInnerTexts(), wanted))
  const beginAfterOne = async (place: string): Promise<void> => {
    await linesIn(place).filter({ hasText: 'One' }).click()
    await ada.page.keyboard.press('End')
  }

  it('shows the value of another user, and keeps the text in another field', async () => {
    await teaserOf(ada.page).fill('Typed by Ada')
    await saveByGrace(contactOf, 'grace@example.org')
    await untilShown(async () => (await contactOf(ada.page).inputValue()) === 'grace@example.org')
    expect(written).to.deep.equal([])
    expect(await teaserOf(ada.page).inputValue()).to.equal('Typed by Ada')
    const focused = await teaserOf(ada.page).evaluate((field) => field === document.activeElement)
    expect(focused).to.equal(true)
    await ada.page.clock.resume()
    const stored = async () => {
      const { contact, teaser } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
      return { contact, teaser }
    }
    await untilStored(stored, { contact: 'grace@example.org', teaser: 'Typed by Ada' })
  })

  for (const place of ['story', 'body'] as const) {
    it(`keeps the cursor in the ${place} when another attribute changes`, async () => {
      await beginAfterOne(place)
      await saveByGrace(contactOf, 'grace@example.org')
      await untilShown(async () => (await contactOf(ada.page).inputValue()) === 'grace@example.org')
      await ada.page.keyboard.type(' more')
      await untilLines(place, ['One more', 'Two'])
    })

    it(`keeps the cursor in the ${place} when another user changes it`, async () => {
      await beginAfterOne(place)
      await saveElsewhere(TEXTS[place](['One', 'Two by Grace']))
      await untilLines(place, ['One', 'Two by Grace'])
      await ada.page.keyboard.type(' more')
      await untilLines(place, ['One more', 'Two by Grace'])
    })

    it(`undoes only the own words in the ${place}`, async () => {
      const stored = async (): Promise<unknown> =>
        (await server.ask('GET', `${PIECE}/${documentId}`)).data[place]
      await beginAfterOne(place)
      await ada.page.keyboard.type(' mine')
      await ada.page.clock.runFor(SAVE_DELAY_MS)
      await untilSaved(ada.page)
      await untilStored(stored, TEXTS[place](['One mine', 'Two'])[place as never])
      await saveElsewhere(TEXTS[place](['One mine', 'Two by Grace']))
      await untilLines(place, ['One mine', 'Two by Grace'])
      await ada.page.keyboard.press('Control+z')
      await untilLines(place, ['One', 'Two by Grace'])
      await ada.page.keyboard.press('Control+z')
      await ada.page.clock.resume()
      await untilStored(stored, TEXTS[place](['One', 'Two by Grace'])[place as never])
    })
  }

  for (const [name, fieldIn] of [
    ['title', titleOf],
    ['teaser', (page: Page) => page.getByLabel('Teaser', { exact: true })],
    ['slug', (page: Page) => page.getByLabel('Slug', { exact: true })],
    ['contact', contactIn],
    ['pages', (page: Page) => page.getByLabel('Pages', { exact: true })],
  ] as const) {
    it(`keeps the caret in the ${name} when another user changes it`, async () => {
      const field = fieldIn(ada.page)
      const text = await field.inputValue()
      await field.press('Home')
      await field.press('ArrowRight')
      await field.press('Shift+ArrowRight')
      await saveByGrace(fieldIn, `9${text}`)
      await untilShown(async () => (await field.inputValue()) === `9${text}`)
      await ada.page.keyboard.type('5')
      const wanted = `9${text[0]}5${text.slice(2)}`
      expect(await field.inputValue()).to.equal(wanted)
      await ada.page.clock.resume()
      const stored = async () =>
        String((await server.ask('GET', `${PIECE}/${documentId}`)).data[name])
      await untilStored(stored, wanted)
    })
  }

  for (const place of ['story', 'body'] as const) {
    it(`keeps the cursor between two changes of the ${place}`, async () => {
      await saveElsewhere(TEXTS[place](['One', 'Two', 'Three']))
      await untilLines(place, ['One', 'Two', 'Three'])
      await linesIn(place).filter({ hasText: 'Two' }).click()
      await ada.page.keyboard.press('End')
      await saveElsewhere(TEXTS[place](['Number one', 'Two', 'Thirty']))
      await untilLines(place, ['Number one', 'Two', 'Thirty'])
      await ada.page.keyboard.type(' more')
      await untilLines(place, ['Number one', 'Two more', 'Thirty'])
      await takePicture(ada.page, `live-two-changes-${place}`)
    })
  }

  it('repeats a read of the entry that failed', async () => {
    let failures = 0
    const isEntry = (url: URL): boolean =>
      decodeURIComponent(url.pathname) === `${PIECE}/${documentId}`
    await ada.page.route(isEntry, (route) => {
      failures += 1
      return failures > 1 ? route.continue() : route.fulfill({ status: 503, body: '' })
    })
    await saveElsewhere({ teaser: 'Read later' })
    await untilShown(() => Promise.resolve(failures === 1))
    await ada.page.clock.runFor(RETRY_MS)
    await untilShown(async () => (await teaserOf(ada.page).inputValue()) === 'Read later')
    await ada.page.unroute(isEntry)
  })

  it('shows a conflict with its author, and keeps the own text', async () => {
    await titleOf(ada.page).fill('Title by Ada')
    await saveByGrace(titleOf, 'Title by Grace')
    const choice = fieldAt(ada.page, 'title').getByRole('group', {
      name: /^Grace changed this at the same time/,
    })
    await untilShown(() => choice.getByText('Version by Grace').isVisible())
    await choice.getByText('Title by Grace').waitFor()
    expect(await titleOf(ada.page).inputValue()).to.equal('Title by Ada')
    expect(written).to.deep.equal([])
    await takePicture(ada.page, 'live-conflict')
    await choice.getByRole('button', { name: 'Keep yours' }).click()
    await ada.page.clock.resume()
    const stored = async () => (await server.ask('GET', `${PIECE}/${documentId}`)).data.title
    await untilStored(stored, 'Title by Ada')
  })

  it('shows comments and the deletion of the entry', async () => {
    const comments = grace.page.getByRole('complementary').getByRole('region', { name: 'Comments' })
    await comments.getByRole('textbox', { name: 'Comment on this entry' }).fill('Seen at once')
    await comments.getByRole('button', { name: 'Comment', exact: true }).click()
    await untilShown(() => ada.page.getByText('Seen at once').isVisible())
    await server.ask('DELETE', `${PIECE}/${documentId}`)
    await untilShown(() => ada.page.getByText('This entry has been deleted').isVisible())
    expect(await titleOf(ada.page).inputValue()).to.equal('Shared')
  })

  it('shows a change between the read of the entry and the begin of the stream', async () => {
    await ada.page.clock.resume()
    let isChanged = false
    await ada.page.route(STREAM, async (route) => {
      if (!isChanged)
        await server.ask('PUT', `${PIECE}/${documentId}`, { data: { teaser: 'Early' } })
      isChanged = true
      await route.continue()
    })
    await ada.page.reload()
    await untilLive()
    await untilShown(async () => (await teaserOf(ada.page).inputValue()) === 'Early')
    await ada.page.unroute(STREAM)
  })

  it('shows a change that is reported before the first states of the entry arrive', async () => {
    await ada.page.clock.resume()
    const address = ada.page.url()
    await ada.page.goto('about:blank')
    const network = await ada.context.newCDPSession(ada.page)
    await network.send('Network.enable')
    const reported = new Promise<void>((resolve) =>
      network.on('Network.eventSourceMessageReceived', ({ eventName }) => {
        if (eventName === 'change') resolve()
      }),
    )
    let noteRead: () => void = () => undefined
    const read = new Promise<void>((resolve) => (noteRead = resolve))
    let reads = 0
    const isStates = (url: URL): boolean => url.pathname.endsWith(`${documentId}/locales`)
    await ada.page.route(isStates, async (route) => {
      if ((reads += 1) > 1) return route.continue()
      const response = await route.fetch()
      noteRead()
      await reported
      await route.fulfill({ response })
    })
    let streams = 0
    await ada.page.route(STREAM, async (route) => {
      await read
      const data = { teaser: 'Reported early' }
      if ((streams += 1) === 1) await server.ask('PUT', `${PIECE}/${documentId}`, { data })
      await route.continue()
    })
    await ada.page.goto(address)
    await untilLive()
    await untilShown(async () => (await teaserOf(ada.page).inputValue()) === 'Reported early')
    await network.detach()
    await ada.page.unroute(isStates)
    await ada.page.unroute(STREAM)
  })
})
