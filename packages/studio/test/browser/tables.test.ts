import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  chooseGerman,
  fieldAt,
  openAs,
  openPiece,
  PIECE,
  startWithEditors,
  TYPES,
  untilStored,
} from './editors.ts'
import { PICTURE, PIXEL, pasteInto } from './paste.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

interface Block {
  readonly type: string
  readonly text?: string
  readonly children?: readonly Block[]
}

const text = (words: string): object => ({ type: 'text', text: words })
const paragraph = (words: string): object => ({ type: 'paragraph', children: [text(words)] })
const table = (...rows: readonly (readonly string[])[]): object => ({
  type: 'table',
  children: rows.map((cells, index) => ({
    type: 'table-row',
    children: cells.map((words) => ({
      type: index === 0 ? 'table-header-cell' : 'table-cell',
      children: [text(words)],
    })),
  })),
})

/** `*` marks header cells. */
const short = ({ type, children = [], text: words }: Block): string => {
  if (words !== undefined) return words
  const parts = children.map(short)
  if (type === 'table') return parts.join(' / ')
  if (type === 'table-row') return parts.join('|')
  return `${type === 'table-header-cell' ? '*' : ''}${parts.join('')}`
}

const EMPTY = '*|*|* / || / ||'
const SHEET_HTML =
  '<meta charset="utf-8"><table><caption>Tides</caption><tr><th>Port</th><th colspan="2">High</th></tr>' +
  '<tr><td rowspan="2"><p>Brest</p><p>France</p></td><td>1</td><td>2</td></tr><tr><td><b>3</b></td></tr></table>'

describeInBrowser('tables in blocks', () => {
  const SHEET = '/admin/content/api::sheet.sheet'
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-tables-'))
  const writeSheet = (options: object): void => {
    const info = { singularName: 'sheet', pluralName: 'sheets', displayName: 'Sheet' }
    const attributes = { title: { type: 'string' }, story: { type: 'blocks' } }
    writeFileSync(
      path.join(folder, 'sheet.json'),
      JSON.stringify({ info, options: { draftAndPublish: true, ...options }, attributes }),
    )
  }
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    cpSync(TYPES, folder, { recursive: true })
    const file = path.join(folder, 'piece.json')
    const piece = JSON.parse(readFileSync(file, 'utf8'))
    piece.options.blocks = 'extended'
    writeFileSync(file, JSON.stringify(piece))
    const leaf = {
      info: { singularName: 'leaf', pluralName: 'leaves', displayName: 'Leaf' },
      options: { draftAndPublish: true },
      attributes: { title: { type: 'string' }, story: { type: 'blocks' } },
    }
    writeFileSync(path.join(folder, 'leaf.json'), JSON.stringify(leaf))
    writeSheet({ blocks: 'extended' })
    server = await startWithEditors({ CONTENT_TYPES_DIR: folder })
    window = await openAs(server, 'Ada')
    page = window.page
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async (story: readonly object[] | null): Promise<string> => {
    const data = { title: 'Tables', story }
    const { documentId } = (await server.ask('POST', PIECE, { data })).data
    await openPiece(page, server, documentId)
    await editor().click()
    return documentId
  }
  const field = () => fieldAt(page, 'story')
  const editor = () => field().locator('.ProseMirror')
  const menu = () => page.getByRole('menu', { name: 'Change the table' })
  const change = async (name: string): Promise<void> => {
    await field().getByRole('button', { name: 'Change the table' }).click()
    await menu().getByRole('menuitem', { name, exact: true }).click()
    await menu().waitFor({ state: 'detached' })
  }
  const blocks = (documentId: string) => async () => {
    const { story } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
    return (story ?? []).map(short)
  }
  const inTable = () => field().locator('[data-in-table]').waitFor()

  it('are inserted by the menu, and filled with Tab', async () => {
    const documentId = await open(null)
    await page.keyboard.type('/tab')
    await page.getByRole('option', { name: 'Table', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await inTable()
    await page.keyboard.type('Port')
    await page.keyboard.press('Tab')
    await page.keyboard.type('High')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.type('Harbour')
    await untilStored(blocks(documentId), ['*Harbour|*High|* / || / ||', ''])
    await expectAccessible(page, 'a table in blocks')
    await takePicture(page, 'tables')
  })

  it('get a row by Tab in the last cell, and a line by Enter', async () => {
    const documentId = await open([table(['a', 'b'])])
    await editor().getByText('b', { exact: true }).click()
    await inTable()
    await page.keyboard.press('Tab')
    await page.keyboard.type('last')
    await page.keyboard.press('Enter')
    await page.keyboard.type('line')
    await untilStored(blocks(documentId), ['*a|*b / last\nline|'])
    await change('Insert text below the table')
    await editor().and(page.locator(':focus')).waitFor()
    await page.keyboard.type('After')
    await untilStored(blocks(documentId), ['*a|*b / last\nline|', 'After'])
  })

  it('are tables with rows and cells for screen readers', async () => {
    await open([table(['Port', 'High'], ['Brest', '7 m'])])
    const shown = editor().getByRole('table')
    expect(await shown.getByRole('row').count()).to.equal(2)
    expect(await shown.getByRole('columnheader').allInnerTexts()).to.deep.equal(['Port', 'High'])
    expect(await shown.getByRole('cell').allInnerTexts()).to.deep.equal(['Brest', '7 m'])
    await editor().getByText('Brest').click()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('>')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Home')
    await page.keyboard.type('^')
    expect(await shown.innerText()).to.match(/\^High[^]*>7 m/)
  })

  it('change by a menu, in steps of undo', async () => {
    const documentId = await open([paragraph('Before'), table(['a', 'b'], ['c', 'd'])])
    await editor().getByText('c', { exact: true }).click()
    await inTable()
    const steps: readonly (readonly [string, string])[] = [
      ['Insert row above', '*a|*b / | / c|d'],
      ['Insert row below', '*a|*b / | / c|d / |'],
      ['Insert column before', '*|*a|*b / || / |c|d / ||'],
      ['Insert column after', '*|*a|*|*b / ||| / |c||d / |||'],
      ['Use first row as plain row', '|a||b / ||| / |c||d / |||'],
      ['Use first row as header', '*|*a|*|*b / ||| / |c||d / |||'],
      ['Delete row', '*|*a|*|*b / ||| / |||'],
      ['Delete column', '*a|*|*b / || / ||'],
      ['Delete table', ''],
    ]
    for (const [name, stored] of steps) {
      if (name === 'Delete row') await takePicture(page, 'tables-before-delete')
      await change(name)
      await untilStored(blocks(documentId), stored === '' ? ['Before'] : ['Before', stored])
    }
    for (const [, stored] of steps.slice(0, -1).toReversed()) {
      await page.keyboard.press('Control+z')
      await untilStored(blocks(documentId), ['Before', stored])
    }
  })

  it('have a menu that returns to the cell', async () => {
    const documentId = await open([table(['a', 'b'])])
    await editor().getByText('b', { exact: true }).click()
    await inTable()
    await field().getByRole('button', { name: 'Change the table' }).click()
    await menu().waitFor()
    await expectAccessible(page, 'the menu of a table')
    await takePicture(page, 'tables-menu')
    await page.keyboard.press('Escape')
    await change('Insert row below')
    await editor().and(page.locator(':focus')).waitFor()
    await page.keyboard.type('x')
    await untilStored(blocks(documentId), ['*a|*bx / |'])
  })

  it('keep the cells of pasted tables and sheets', async () => {
    const documentId = await open(null)
    await pasteInto(editor(), { html: SHEET_HTML })
    await untilStored(blocks(documentId), ['Tides', '*Port|*High|* / Brest\nFrance|1|2 / |3|'])
    await page.keyboard.press('Control+a')
    await pasteInto(editor(), { text: 'Port\tHigh\n"Le ""Havre""\nFrance"\t8\n' })
    await untilStored(blocks(documentId), ['Port|High / Le "Havre"\nFrance|8'])
  })

  it('keep their form if other blocks or cells are pasted into a cell', async () => {
    const documentId = await open([table(['a', 'b'], ['c', 'd'])])
    await editor().getByText('c', { exact: true }).click()
    await inTable()
    await page.keyboard.press('End')
    await pasteInto(editor(), { html: '<h2>One</h2><ul><li>Two</li></ul>' })
    await untilStored(blocks(documentId), ['*a|*b / cOne\nTwo|d'])
    await editor().getByText('d', { exact: true }).click()
    await pasteInto(editor(), { text: '1\t2\n3\t4' })
    await untilStored(blocks(documentId), ['*a|*b|* / cOne\nTwo|1|2 / |3|4'])
  })

  it('have pictures that are pasted into a cell below them', async () => {
    const documentId = await open([table(['a', 'b'], ['c', 'd']), paragraph('End')])
    const stored = async (): Promise<readonly string[]> =>
      (await server.ask('GET', `${PIECE}/${documentId}`)).data.story.map((block: Block) =>
        block.type === 'image' ? 'image' : short(block),
      )
    await editor().getByText('c', { exact: true }).click()
    await inTable()
    await pasteInto(editor(), { files: [PICTURE] })
    await untilStored(stored, ['*a|*b / c|d', 'image', 'End'])
    const copied = await editor()
      .locator('img')
      .evaluate(({ outerHTML }) => outerHTML)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await editor().locator('img').click()
    await page.keyboard.press('Control+x')
    await untilStored(stored, ['*a|*b / c|d', 'End'])
    await editor().getByText('d', { exact: true }).click()
    await inTable()
    await page.keyboard.press('Control+v')
    await untilStored(stored, ['*a|*b / c|d', 'image', 'End'])
    await page.keyboard.press('End')
    await pasteInto(editor(), { html: `<h2>e</h2>${copied}<p>f</p>` })
    await untilStored(stored, ['*a|*b / c|de\nf', 'image', 'image', 'End'])
    await page.keyboard.press('Control+z')
    await untilStored(stored, ['*a|*b / c|d', 'image', 'End'])
    await page.keyboard.press('Control+Shift+z')
    await untilStored(stored, ['*a|*b / c|de\nf', 'image', 'image', 'End'])
    const { story } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
    expect(story[1].image).to.include({ name: 'shore.png', mime: 'image/png' })
    await page.waitForFunction(() => document.querySelector('.ProseMirror img')?.clientWidth !== 0)
    await takePicture(page, 'tables-picture')
    await expectAccessible(page, 'a picture below a table')
  })

  it('say that pictures of a pasted text are left out', async () => {
    const documentId = await open([table(['a', 'b'])])
    await editor().getByText('b', { exact: true }).click()
    await inTable()
    const html = `<p>word<img src="data:image/png;base64,${PIXEL}"></p>`
    await pasteInto(editor(), { html })
    await page.getByText('Images in pasted text are not inserted.').waitFor()
    await takePicture(page, 'tables-left-out')
    await untilStored(blocks(documentId), ['*a|*bword'])
    await pasteInto(editor(), {
      html: '<img data-picture=\'{"image":{"url":"javascript:alert(1)"}}\'>text',
    })
    await untilStored(blocks(documentId), ['*a|*bwordtext'])
  })

  it('take dropped texts as lines, and have their pictures below', async () => {
    await open([table(['a', 'b'], ['c', '']), paragraph('End')])
    const image = { url: '/files/shore.png', name: 'shore.png', mime: 'image/png' }
    const html = `<p>x</p><img data-picture='${JSON.stringify({ image })}'><p>y</p>`
    await pasteInto(editor().getByRole('cell').last(), { html }, 'drop')
    await editor().locator('img').waitFor({ state: 'attached' })
    const shown = await editor().evaluate(({ children }) =>
      [...children].map((one) => (one.matches('img, :has(img)') ? 'image' : one.textContent)),
    )
    expect(shown).to.deep.equal(['abcxy', 'image', 'End'])
  })

  it('say that pictures of a dropped text are left out', async () => {
    const documentId = await open([paragraph('Start')])
    const html = `<p>word<img src="https://example.org/shore.png"></p>`
    await pasteInto(editor().getByText('Start'), { html }, 'drop')
    await page.getByText('Images in pasted text are not inserted.').waitFor()
    const stored = blocks(documentId)
    await untilStored(async () => (await stored()).join('').includes('word'), true)
  })

  it('stay as they are where the option is turned off', async () => {
    const rows = table(['a', 'b'])
    const { documentId } = (
      await server.ask('POST', SHEET, { data: { title: 'Kept', story: [rows] } })
    ).data
    await server.goDown()
    writeSheet({})
    await server.comeBack()
    await page.goto(`${server.address}/studio/content/sheets/${documentId}`)
    await editor().getByText('a', { exact: true }).click()
    await inTable()
    await page.keyboard.press('Tab')
    await page.keyboard.type('>')
    await editor().getByText('>', { exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await editor().and(page.locator(':focus')).waitFor({ state: 'detached' })
    expect(await editor().getByRole('row').count()).to.equal(1)
    await field().getByText('This text cannot be saved with a table').waitFor()
    await takePicture(page, 'tables-off')
  })

  it('are lines where the option is off', async () => {
    const LEAF = '/admin/content/api::leaf.leaf'
    const { documentId } = (await server.ask('POST', LEAF, { data: { title: 'Lines' } })).data
    await page.goto(`${server.address}/studio/content/leaves/${documentId}`)
    await editor().click()
    const stored = async (): Promise<readonly string[]> =>
      ((await server.ask('GET', `${LEAF}/${documentId}`)).data.story ?? []).map(short)
    await pasteInto(editor(), { html: SHEET_HTML })
    await untilStored(stored, ['Port | High', 'Brest France | 1 | 2', '3'])
    await page.keyboard.press('Control+a')
    await pasteInto(editor(), { text: 'Port\tHigh\nBrest\t7 m' })
    await untilStored(stored, ['Port | High', 'Brest | 7 m'])
    await field().getByRole('button', { name: 'Image' }).waitFor()
    expect(await field().getByRole('button', { name: 'Table' }).count()).to.equal(0)
  })

  it('move as other blocks', async () => {
    const documentId = await open([paragraph('One'), table(['a', 'b'])])
    await editor().getByText('b', { exact: true }).click()
    await inTable()
    await page.keyboard.press('Alt+ArrowUp')
    await untilStored(blocks(documentId), ['*a|*b', 'One'])
    await editor().getByText('a', { exact: true }).hover()
    const from = await field().locator('[data-grip]').boundingBox()
    const to = await editor().getByText('One').boundingBox()
    if (from === null || to === null) throw new Error('The grip is not shown')
    await page.mouse.move(from.x + 8, from.y + 8)
    await page.mouse.down()
    await page.mouse.move(to.x + 40, to.y + 10, { steps: 5 })
    await page.mouse.move(to.x + 40, to.y + to.height - 2, { steps: 5 })
    await page.mouse.up()
    await untilStored(blocks(documentId), ['One', '*a|*b'])
  })

  it('scroll on a narrow screen', async () => {
    const size = page.viewportSize()
    await page.setViewportSize({ width: 320, height: 780 })
    try {
      await open([table(['Port', 'High', 'Low', 'Range'], ['Brest', '7 m', '1 m', '6 m'])])
      await editor().getByText('Range').click()
      await inTable()
      await expectNoSidewaysScrolling(page, 'a table on a narrow screen')
      await expectAccessible(page, 'a table on a narrow screen')
      await takePicture(page, 'tables-narrow')
    } finally {
      if (size !== null) await page.setViewportSize(size)
    }
  })

  it('have German words', async () => {
    const documentId = await open(null)
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    await editor().click()
    await field().getByRole('button', { name: 'Tabelle', exact: true }).click()
    await untilStored(blocks(documentId), [EMPTY, ''])
    await field().getByRole('button', { name: 'Tabelle ändern' }).click()
    const german = page.getByRole('menu', { name: 'Tabelle ändern' })
    expect(await german.getByRole('menuitem').allInnerTexts()).to.deep.equal([
      'Zeile darüber einfügen',
      'Zeile darunter einfügen',
      'Spalte davor einfügen',
      'Spalte danach einfügen',
      'Erste Zeile als normale Zeile verwenden',
      'Text unter der Tabelle einfügen',
      'Zeile löschen',
      'Spalte löschen',
      'Tabelle löschen',
    ])
    await takePicture(page, 'tables-german')
  })
})
