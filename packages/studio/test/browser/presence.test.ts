import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  blockStream,
  chooseGerman,
  fieldAt,
  holdSaves,
  openAs,
  openPiece,
  PIECE,
  startWithEditors,
  titleOf,
  untilSaved,
} from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

describeInBrowser('other users in an entry', function () {
  let server: Server
  let ada: Window
  let grace: Window
  before(async () => {
    server = await startWithEditors()
    ;[ada, grace] = await Promise.all([openAs(server, 'Ada'), openAs(server, 'Grace')])
  })
  after(async () => {
    await ada.close()
    await grace.close()
    await server.stop()
  })

  const make = async (data: object): Promise<string> =>
    (await server.ask('POST', PIECE, { data })).data.documentId
  const openBoth = async (documentId: string): Promise<void> => {
    await openPiece(ada.page, server, documentId)
    await openPiece(grace.page, server, documentId)
  }
  const markIn = (page: Page, place: string, text = 'Grace is here'): Locator =>
    page.locator(`[data-field="${place}"] > span`).getByText(text, { exact: true })
  const marks = (page: Page): Locator => page.getByText('Grace is here', { exact: true })
  const teaserOf = (page: Page): Locator => page.getByLabel('Teaser', { exact: true })
  const requestsOf = (page: Page): readonly string[] => {
    const sent: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname === '/admin/presence') sent.push(request.method())
    })
    return sent
  }

  it('shows the field that another user is in, and follows the focus', async () => {
    const documentId = await make({ title: 'Shared', quotes: [{ text: 'a' }, { text: 'b' }] })
    await openBoth(documentId)
    const loads = requestsOf(ada.page)
    await teaserOf(grace.page).focus()
    await markIn(ada.page, 'teaser').waitFor()
    await ada.page.locator('main header').getByTitle('Grace').waitFor()
    await expectAccessible(ada.page, 'presence')
    await takePicture(ada.page, 'presence-dark')
    await ada.page.emulateMedia({ colorScheme: 'light' })
    await takePicture(ada.page, 'presence-light')
    const described = await teaserOf(ada.page).evaluate((field) =>
      (field.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? ''),
    )
    expect(described).to.include('Grace is here')
    await titleOf(grace.page).focus()
    await markIn(ada.page, 'title').waitFor()
    expect(await marks(ada.page).count()).to.equal(1)
    expect(
      loads.every((method) => method === 'PUT'),
      String(loads),
    ).to.equal(true)
  })

  it('marks fields of components, also in a folded card', async () => {
    const quotes = Array.from({ length: 3 }, (_, at) => ({ text: `quote ${at}` }))
    await openBoth(await make({ title: 'Components', quotes }))
    await fieldAt(grace.page, 'quotes').getByLabel('Text').nth(1).focus()
    const cards = ada.page.locator('[data-card]')
    const second = cards.nth(1)
    const mark = second.getByText('Grace is here', { exact: true })
    await mark.waitFor()
    expect(
      await mark.locator('xpath=ancestor::*[@data-field][1]').getAttribute('data-field'),
    ).to.match(/^quotes\/.+\/text$/)
    await second.locator('button[aria-expanded=true]').first().click()
    await second.locator('button', { hasText: 'Grace is here' }).waitFor()
    expect(await marks(ada.page).count()).to.equal(1)
    await ada.page.setViewportSize({ width: 390, height: 844 })
    await second.scrollIntoViewIfNeeded()
    await expectNoSidewaysScrolling(ada.page, 'presence on a phone')
    await takePicture(ada.page, 'presence-phone')
    await ada.page.setViewportSize({ width: 1280, height: 800 })
  })

  it('disappears when the other window leaves, and does not move the focus', async () => {
    await openBoth(await make({ title: 'Leaving' }))
    await titleOf(ada.page).focus()
    await teaserOf(grace.page).focus()
    await markIn(ada.page, 'teaser').waitFor()
    const isFocused = await titleOf(ada.page).evaluate((field) => field === document.activeElement)
    expect(isFocused).to.equal(true)
    const closed = grace.page
    grace = { ...grace, page: await grace.context.newPage() }
    await closed.close()
    await markIn(ada.page, 'teaser').waitFor({ state: 'detached' })
    await ada.page.locator('main header').getByTitle('Grace').waitFor({ state: 'detached' })
  })

  it('sends no fields while the user is alone', async () => {
    const documentId = await make({ title: 'Alone' })
    const sent = requestsOf(ada.page)
    await openPiece(ada.page, server, documentId)
    await teaserOf(ada.page).focus()
    await ada.page.getByLabel('Contact', { exact: true }).fill('ada@example.org')
    await untilSaved(ada.page)
    await titleOf(ada.page).focus()
    await untilSaved(ada.page)
    expect(sent).to.deep.equal(['GET'])
    await openPiece(grace.page, server, documentId)
    await markIn(grace.page, 'title', 'Ada is here').waitFor()
    expect(sent.slice(1)).to.deep.equal(['PUT'])
  })

  it('polls without a stream, and connects again', async () => {
    const documentId = await make({ title: 'Without a stream' })
    await openPiece(grace.page, server, documentId)
    await teaserOf(grace.page).focus()
    const { page } = ada
    await page.clock.install()
    const unblock = await blockStream(page)
    const sent = requestsOf(page)
    const reported = grace.page.waitForResponse(/\/admin\/presence$/)
    await openPiece(page, server, documentId)
    await page.locator('main header').getByTitle('Grace').waitFor()
    await reported
    await page.clock.fastForward(21_000)
    await markIn(page, 'teaser').waitFor()
    expect(sent.slice(0, 4)).to.deep.equal(['GET', 'PUT', 'GET', 'PUT'])
    await unblock()
    const before = sent.length
    await page.clock.fastForward(21_000)
    await titleOf(grace.page).focus()
    await markIn(page, 'title').waitFor()
    expect(sent.slice(before).filter((method) => method === 'GET')).to.have.length(1)
  })

  it('names the author of a conflict, and marks the words', async () => {
    const documentId = await make({ title: 'The old house stands at the river' })
    await openBoth(documentId)
    const release = await holdSaves(grace.page)
    await titleOf(grace.page).fill('The old house stands at a lake')
    await titleOf(ada.page).fill('The new house stands at the river')
    await untilSaved(ada.page)
    release()
    const choice = fieldAt(grace.page, 'title').getByRole('group', {
      name: /^Ada changed this at the same time \(now\)$/,
    })
    await choice.getByText('Version by Ada').waitFor()
    const marked = await choice.locator('mark').allTextContents()
    expect(marked).to.deep.equal(['old', 'a', 'lake', 'new', 'the', 'river'])
    await expectAccessible(grace.page, 'conflict')
    await takePicture(grace.page, 'conflict-dark')
    await grace.page.emulateMedia({ colorScheme: 'light' })
    await takePicture(grace.page, 'conflict-light')
    await grace.page.setViewportSize({ width: 390, height: 844 })
    await expectNoSidewaysScrolling(grace.page, 'conflict on a phone')
    await takePicture(grace.page, 'conflict-phone')
    await grace.page.setViewportSize({ width: 1280, height: 800 })
    await choice.getByRole('button', { name: 'Keep yours' }).click()
    await choice.waitFor({ state: 'detached' })
    await untilSaved(grace.page)
    const { data } = await server.ask('GET', `${PIECE}/${documentId}`)
    expect(data.title).to.equal('The old house stands at a lake')
  })

  it('speaks German', async () => {
    await chooseGerman(ada.page, server)
    const documentId = await make({ title: 'Deutsch' })
    await ada.page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    await openPiece(grace.page, server, documentId)
    const release = await holdSaves(ada.page)
    await ada.page.getByLabel('Teaser', { exact: true }).fill('Ada schreibt hier')
    await teaserOf(grace.page).fill('Grace schreibt hier')
    await markIn(ada.page, 'teaser', 'Grace ist hier').waitFor()
    await untilSaved(grace.page)
    release()
    const choice = fieldAt(ada.page, 'teaser').getByRole('group', {
      name: /^Grace hat dies gleichzeitig geändert/,
    })
    await choice.getByText('Fassung von Grace').waitFor()
    expect(await choice.locator('mark').allTextContents()).to.deep.equal(['Ada', 'Grace'])
    await takePicture(ada.page, 'conflict-german')
  })
})
