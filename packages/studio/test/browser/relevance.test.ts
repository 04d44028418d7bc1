import { expect } from 'chai'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page, Request } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { fieldAt, openAs, startWithEditors } from './editors.ts'
import type { Server } from './server.ts'

const WALK = '/admin/content/api::walk.walk'
const PIECE = '/admin/content/api::piece.piece'

function declare(name: string, attributes: object, options: object = {}): object {
  return {
    kind: 'collectionType',
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options,
    attributes,
  }
}

const TYPES = {
  walk: declare(
    'walk',
    { title: { type: 'string' }, body: { type: 'text' } },
    { draftAndPublish: true, search: { title: 4, body: 1 } },
  ),
  piece: declare('piece', {
    title: { type: 'string' },
    walks: { type: 'relation', relation: 'manyToMany', target: 'api::walk.walk' },
  }),
  person: declare('person', { name: { type: 'string' } }),
}

describeInBrowser('search by relevance', function () {
  let folder: string
  let server: Server
  let window: Window
  let page: Page
  let sent: URLSearchParams[] = []

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-relevance-'))
    for (const [name, type] of Object.entries(TYPES)) {
      writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(type))
    }
    server = await startWithEditors({ CONTENT_TYPES_DIR: folder })
    await write('Mountain lake', 'A walk around a mountain lake')
    await write('A mountain of work', 'Lakes and red boats, and much more about other things')
    await write('Valley', 'Below the mountain')
    window = await openAs(server, 'Ada')
    page = window.page
    page.on('request', note)
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const write = async (title: string, body: string): Promise<void> => {
    await server.ask('POST', WALK, { data: { title, body } })
  }
  const note = (request: Request): void => {
    const { pathname, searchParams } = new URL(request.url())
    const isSearch = searchParams.has('_q') || searchParams.has('search[query]')
    if (isSearch && decodeURIComponent(pathname) === WALK) sent.push(searchParams)
  }
  const walks = () => page.getByRole('grid').getByRole('rowheader')
  const box = () => page.getByRole('searchbox', { name: 'Search', exact: true })
  const search = async (text: string, first: string, count: number): Promise<void> => {
    await box().fill(text)
    await page.getByText(`${count} of ${count} matches`).waitFor()
    await walks().first().getByText(first, { exact: true }).waitFor()
  }

  it('orders a list by relevance, and narrows it with every word', async () => {
    await page.goto(`${server.address}/studio/content/walks`)
    await walks().nth(2).waitFor()
    sent = []
    await search('mountain', 'Mountain lake', 3)
    expect(sent.map((one) => [one.get('search[query]'), one.get('_q'), one.get('sort')])).to.eql([
      ['mountain', null, null],
    ])
    await search('mountain lake boats', 'A mountain of work', 1)
    await search('walking', 'Mountain lake', 1)
  })

  it('shows a draft in the list as soon as it is stored', async () => {
    await write('Heron pond', 'Quiet')
    await search('heron', 'Heron pond', 1)
  })

  it('offers to search inside words, and does so for the order of a column', async () => {
    await box().fill('ountain')
    await page.getByText('No matches').waitFor()
    await expectAccessible(page, 'no matches')
    await page.getByRole('button', { name: 'Search inside words and in all texts' }).click()
    await page.getByText('3 of 3 matches').waitFor()
    await page.reload()
    await page.getByText('3 of 3 matches').waitFor()
    await box().fill('mountain')
    await page.waitForURL((url) => !url.searchParams.has('within'))
    await walks().first().getByText('Mountain lake', { exact: true }).waitFor()
    sent = []
    await page.getByRole('columnheader', { name: 'Title' }).click()
    await walks().first().getByText('A mountain of work', { exact: true }).waitFor()
    expect(sent.map((one) => [one.get('_q'), one.get('sort')])).to.eql([['mountain', 'title:asc']])
  })

  it('publishes the matches of a search by relevance', async () => {
    await page.goto(`${server.address}/studio/content/walks?q=mountain+lake`)
    await page.getByText('2 of 2 matches').waitFor()
    await page.getByRole('columnheader').first().locator('label').click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('2 entries published').waitFor()
    const { meta } = await server.ask('GET', WALK)
    expect(Object.values(meta.states)).to.have.members(['draft', 'draft', 'published', 'published'])
  })

  it('finds the best entries in the palette, with one request per text', async () => {
    await page.keyboard.press('Control+k')
    sent = []
    const palette = page.getByRole('searchbox', { name: 'Search or go to' })
    await palette.fill('lak')
    const found = page.getByRole('menuitem').filter({ hasText: /Walks$/ })
    await found.getByText('A mountain of work').waitFor()
    expect(await found.allTextContents()).to.deep.equal([
      'Mountain lake Walks',
      'A mountain of work Walks',
    ])
    expect(sent.map((one) => [one.get('search[query]'), one.get('search[match]')])).to.eql([
      ['lak', 'all'],
    ])
    await palette.press('Escape')
    await palette.press('Escape')
  })

  it('offers the best entries for a relation, with one request per text', async () => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Read' } })).data
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    const field = fieldAt(page, 'walks')
    await field.getByRole('combobox').click()
    await page.getByRole('option', { name: 'Valley' }).waitFor()
    sent = []
    await field.getByRole('combobox').fill('mountain')
    const offered = page.getByRole('option').filter({ hasNotText: 'New' })
    await page.getByRole('option', { name: 'New: mountain' }).waitFor()
    expect(await offered.locator('span:first-child').allTextContents()).to.deep.equal([
      'Mountain lake',
      'A mountain of work',
      'Valley',
    ])
    expect(sent.map((one) => [one.get('search[query]'), one.get('sort')])).to.eql([
      ['mountain', null],
    ])
    await page.getByRole('option', { name: 'Mountain lake' }).click()
    await field.getByRole('listitem').getByText('Mountain lake').waitFor()
  })

  it('logs no browser errors', () => {
    expect(window.complaints).to.deep.equal([])
  })
})
