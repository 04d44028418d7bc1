import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'
import {
  editorBefore,
  fieldAt,
  openPiece,
  PIECE,
  titleOf,
  untilPublished,
  untilSaved,
  untilStored,
} from './editors.ts'
import type { Server } from './server.ts'

const POPULATE =
  'populate[quotes][populate]=*&populate[sections][on][parts.quote][populate]=*&populate[sections][on][parts.chapter]=true&populate[seal][populate]=*&populate[readers]=true&populate[author]=true'

describeInBrowser('an entry in the Studio', function () {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const stored = async (documentId: string) =>
    (await server.ask('GET', `${PIECE}/${documentId}?${POPULATE}`)).data

  const begin = async (title: string): Promise<string> => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    await titleOf(page).pressSequentially(title)
    await untilSaved(page)
    await page.waitForURL(/pieces\/[a-z0-9]{24}/)
    return new URL(page.url()).pathname.split('/').at(-1) ?? ''
  }

  it('creates itself while the user types, and moves to its own address', async () => {
    const documentId = await begin('A quire of paper')
    expect(await titleOf(page).evaluate((element) => element === document.activeElement)).to.equal(
      true,
    )
    await page.keyboard.type(', folded once')
    await untilSaved(page)
    await page.waitForFunction(() => document.title.startsWith('A quire of paper, folded once'))
    await expectStored(stored, documentId, {
      title: 'A quire of paper, folded once',
      slug: 'a-quire-of-paper-folded-once',
    })
  })

  it('stores a value of every scalar type', async () => {
    const documentId = await begin('Every type')
    const fill = (name: string, value: string) => page.getByLabel(name, { exact: true }).fill(value)
    await fill('Teaser', 'Two lines\nof text')
    await fill('Contact', 'ada@example.org')
    await fill('Pages', '12')
    await fill('Copies', '9007199254740993')
    await fill('Weight', '1.5')
    await fill('Price', '0.1')
    await fill('Day', '2026-01-31')
    await fill('Opens', '12:34')
    await fill('Begins', '2026-01-31T12:34')
    await fill('Stamped', '2026-01-31T12:34')
    await fill('Note', 'for us alone')
    await page.getByLabel('Kind', { exact: true }).selectOption('poem')
    await page.getByRole('switch', { name: 'Is new' }).click({ force: true })
    await page.getByLabel('Secret', { exact: true }).fill('hush, a secret')
    await page.getByLabel('Secret', { exact: true }).press('Enter')
    await fieldAt(page, 'extra').locator('.cm-content').fill('{ "a": [1, 2] }')
    await fieldAt(page, 'body').locator('.cm-content').fill('Some *Markdown*')
    await untilSaved(page)
    const moment = await page.evaluate(() => new Date('2026-01-31T12:34').getTime())
    await expectStored(stored, documentId, {
      teaser: 'Two lines\nof text',
      contact: 'ada@example.org',
      pages: 12,
      copies: '9007199254740993',
      weight: 1.5,
      price: 0.1,
      day: '2026-01-31',
      opens: '12:34:00',
      begins: new Date(moment).toISOString(),
      stamped: String(moment),
      note: 'for us alone',
      kind: 'poem',
      isNew: true,
      extra: { a: [1, 2] },
      body: 'Some *Markdown*',
    })
  })

  it('writes blocks: headings, nested lists, marks and links', async () => {
    const documentId = await begin('Blocks')
    const editor = fieldAt(page, 'story').getByRole('textbox')
    await editor.click()
    await page.keyboard.type('## Head')
    await page.keyboard.press('Enter')
    await page.keyboard.type('plain **bold** text')
    await page.keyboard.press('Enter')
    await page.keyboard.type('- one')
    await page.keyboard.press('Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('the end')
    await untilSaved(page)
    const text = (value: string, look = {}) => ({ type: 'text', text: value, ...look })
    await expectStored(stored, documentId, {
      story: [
        { type: 'heading', level: 2, children: [text('Head')] },
        {
          type: 'paragraph',
          children: [text('plain '), text('bold', { bold: true }), text(' text')],
        },
        {
          type: 'list',
          format: 'unordered',
          children: [
            { type: 'list-item', children: [text('one')] },
            {
              type: 'list',
              format: 'unordered',
              indentLevel: 1,
              children: [{ type: 'list-item', children: [text('two')] }],
            },
          ],
        },
        { type: 'paragraph', children: [text('the end')] },
      ],
    })
  })

  it('adds, reorders and duplicates components, and undoes a removal', async () => {
    const documentId = await begin('Zones')
    const zone = fieldAt(page, 'sections')
    const add = async (name: string): Promise<void> => {
      await zone.getByRole('button', { name: 'Add a component' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await add('Quote')
    await page.keyboard.type('First') // the cursor is in its first field
    await add('Chapter')
    await page.keyboard.type('Second')
    await untilSaved(page)
    const order = async (): Promise<readonly unknown[]> =>
      (await stored(documentId)).sections.map(
        (one: { text?: string; heading?: string }) => one.text ?? one.heading,
      )
    expect(await order()).to.deep.equal(['First', 'Second'])

    const grip = zone.getByRole('button', { name: 'Move Quote, 1 of 2' })
    await grip.focus()
    await page.keyboard.press('ArrowDown')
    await zone.getByRole('button', { name: 'Move Quote, 2 of 2' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).to.equal(
      'Move Quote, 2 of 2',
    )
    await untilStored(order, ['Second', 'First'])

    await zone.getByRole('button', { name: 'Actions for Chapter 1' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await untilStored(order, ['Second', 'Second', 'First'])
    await zone.getByRole('button', { name: 'Actions for Quote 3' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await untilStored(order, ['Second', 'Second'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await untilStored(order, ['Second', 'Second', 'First'])
  })

  it('moves a component by dragging', async () => {
    const documentId = await begin('Drag')
    const field = fieldAt(page, 'quotes')
    for (const text of ['a', 'b', 'c']) {
      await field.getByRole('button', { name: 'Add Quote' }).click()
      await page.keyboard.type(text)
    }
    await untilSaved(page)
    const from = await field.getByRole('button', { name: 'Move Quote, 3 of 3' }).boundingBox()
    const to = await field.getByRole('button', { name: 'Move Quote, 1 of 3' }).boundingBox()
    if (from === null || to === null) throw new Error('The handles are not shown')
    await page.mouse.move(from.x + 8, from.y + 8)
    await page.mouse.down()
    await page.mouse.move(to.x + 8, to.y + 30, { steps: 5 })
    await page.mouse.move(to.x + 8, to.y - 4, { steps: 5 })
    await page.mouse.up()
    await untilStored(
      async () => (await stored(documentId)).quotes.map(({ text }: { text: string }) => text),
      ['c', 'a', 'b'],
    )
    expect(await field.getByRole('button', { name: 'Add Quote' }).isDisabled()).to.equal(true) // 3 at most
  })

  it('links entries, orders them and creates a new one in a drawer', async () => {
    const documentId = await begin('Relations')
    const readers = fieldAt(page, 'readers')
    const search = readers.getByRole('combobox')
    for (const name of ['Walt', 'Emily']) {
      await search.fill(name)
      await page.getByRole('option', { name, exact: true }).click()
    }
    await search.fill('Anna')
    await page.getByRole('option', { name: 'New: Anna' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: 'Create' }).click()
    await drawer.waitFor({ state: 'detached' })
    const names = async () =>
      (await stored(documentId)).readers.map(({ name }: { name: string }) => name)
    await untilStored(names, ['Walt', 'Emily', 'Anna'])
    await readers.getByRole('button', { name: 'Move Anna, 3 of 3' }).focus()
    await page.keyboard.press('Home')
    await untilStored(names, ['Anna', 'Walt', 'Emily'])
    await readers.getByRole('button', { name: 'Remove Walt' }).click()
    await untilStored(names, ['Anna', 'Emily'])
  })

  it('closes the search after a choice, and offers a new entry only after the results arrived', async () => {
    await begin('Searching')
    const search = fieldAt(page, 'readers').getByRole('combobox')
    const sappho = page.getByRole('option', { name: 'Sappho', exact: true })
    await search.fill('S')
    await sappho.waitFor() // found before the searches that are held
    let isHeld = true
    const held: (() => void)[] = []
    await page.route(/person\.person\?.*_q=/, async (route) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    const first = page.waitForRequest(/_q=Xyz/)
    await search.fill('Xyz')
    await first
    await page.getByText('Searching…').waitFor()
    const asked = page.waitForRequest(/_q=Sap/)
    await search.fill('Sap')
    await asked
    await sappho.waitFor()
    expect(await page.getByRole('option').count()).to.equal(1)
    isHeld = false
    for (const release of held) release()
    await page.getByRole('option', { name: 'New: Sap' }).waitFor()
    await sappho.click()
    await fieldAt(page, 'readers').getByRole('link', { name: 'Sappho' }).waitFor()
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    expect(await search.inputValue()).to.equal('')
    await search.press('E')
    await page.getByRole('option', { name: 'Emily', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.unroute(/person\.person\?.*_q=/)
  })

  it('keeps an invalid number with its problem, and saves the rest', async () => {
    const documentId = await begin('Numbers')
    await page.getByLabel('Pages', { exact: true }).fill('twelve')
    await page.getByLabel('Teaser', { exact: true }).fill('saved')
    await page.getByText('Saved, except Pages').waitFor()
    await page.getByText('Not saved: not a whole number').waitFor()
    await expectStored(stored, documentId, { teaser: 'saved', pages: null })
    await page.getByLabel('Pages', { exact: true }).fill('12')
    await untilSaved(page)
    await expectStored(stored, documentId, { pages: 12 })
  })

  it('shows faults of the server at their fields, including components', async () => {
    await begin('Refused')
    await fieldAt(page, 'seal').getByRole('button', { name: 'Add Quote' }).click()
    const source = fieldAt(page, 'seal/source').getByRole('textbox')
    await source.fill('far longer than twenty characters')
    await fieldAt(page, 'seal/source').getByRole('alert').waitFor()
    expect(await source.getAttribute('aria-invalid')).to.equal('true')
    await source.fill('short')
    await untilSaved(page)
  })

  it('publishes by Ctrl-Enter, and shows faults at their fields', async () => {
    const documentId = await begin('Publish')
    await fieldAt(page, 'seal').getByRole('button', { name: 'Add Quote' }).click()
    await fieldAt(page, 'seal/source').getByRole('textbox').fill('me')
    await untilSaved(page)
    await page.keyboard.press('Control+Enter')
    const alert = fieldAt(page, 'seal/text').getByRole('alert')
    await alert.getByText('This field is required.').waitFor()
    await fieldAt(page, 'seal/text').getByRole('textbox').fill('said')
    await untilSaved(page)
    await page.keyboard.press('Control+Enter')
    await untilPublished(page)
    const { data } = await server.ask('GET', `${PIECE}/${documentId}?status=published`)
    expect(data).to.include({ title: 'Publish' })
  })

  it('creates a translation from another language', async () => {
    const documentId = await begin('Translated')
    await page.getByLabel('Teaser', { exact: true }).fill('in English')
    await page.getByLabel('Pages', { exact: true }).fill('7')
    await untilSaved(page)
    await page.goto(`${server.address}/studio/content/pieces/${documentId}?locale=de`)
    await page.getByRole('button', { name: 'Start from English' }).click()
    await titleOf(page).waitFor()
    expect(await page.getByLabel('Teaser', { exact: true }).inputValue()).to.equal('in English')
    await titleOf(page).fill('Übersetzt')
    await untilSaved(page)
    const german = (await server.ask('GET', `${PIECE}/${documentId}?locale=de`)).data
    expect(german).to.include({ title: 'Übersetzt', teaser: 'in English', pages: 7, locale: 'de' })
    expect((await stored(documentId)).title).to.equal('Translated')
  })

  it('passes axe in light and in dark mode', async () => {
    const documentId = await begin('Accessible')
    await fieldAt(page, 'seal').getByRole('button', { name: 'Add Quote' }).click()
    await fieldAt(page, 'quotes').getByRole('button', { name: 'Add Quote' }).click()
    await untilSaved(page)
    await openPiece(page, server, documentId)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await violations(page)).to.deep.equal([])
    }
  })

  it('fits 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).to.be.at.most(360)
    await page.setViewportSize({ width: 1280, height: 800 })
  })
})

type Read = (documentId: string) => Promise<Readonly<Record<string, unknown>>>

async function expectStored(
  read: Read,
  documentId: string,
  wanted: Readonly<Record<string, unknown>>,
): Promise<void> {
  await untilStored(async () => {
    const entry = await read(documentId)
    return Object.fromEntries(Object.keys(wanted).map((name) => [name, entry[name]]))
  }, wanted)
}

async function violations(page: Page): Promise<readonly string[]> {
  const found = await analyse(page)
  return found.map(({ id, nodes }) => `${id}: ${nodes.join(' ')}`)
}

async function analyse(page: Page): Promise<readonly { id: string; nodes: readonly string[] }[]> {
  const { default: axe } = await import('axe-core')
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html }) => html.slice(0, 160)),
    }))
  })
}
