import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  blockStream,
  chooseGerman,
  openAs,
  startWithEditors,
  titleOf,
  TYPES,
  untilPublished,
  untilSaved,
} from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

const MAX_CLICKS = 8
const MEMO = '/admin/content/api::memo.memo'

const REVIEWED = {
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  options: { draftAndPublish: true, review: { publish: 'ready' } },
  attributes: { title: { type: 'string' }, text: { type: 'text' } },
}

describeInBrowser('reviews', () => {
  let types: string
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    types = mkdtempSync(path.join(tmpdir(), 'quire-reviewed-'))
    cpSync(TYPES, types, { recursive: true })
    writeFileSync(path.join(types, 'memo.json'), JSON.stringify(REVIEWED))
    server = await startWithEditors({ CONTENT_TYPES_DIR: types })
    window = await openAs(server, 'Ada')
    page = window.page
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(types, { recursive: true, force: true })
  })

  const make = async (title: string): Promise<string> =>
    (await server.ask('POST', MEMO, { data: { title } })).data.documentId
  const open = async (of: Page, documentId: string): Promise<void> => {
    await of.goto(`${server.address}/studio/content/memos/${documentId}`)
    await titleOf(of).waitFor()
  }
  const section = (of = page, name = 'Review'): Locator =>
    of.getByRole('complementary').getByRole('region', { name })
  const stageIn = (of = page): Locator => section(of).getByRole('button', { name: 'Stage' })
  const assigneeIn = (of = page): Locator =>
    section(of).getByRole('button', { name: 'Assigned to' })
  const reviewOf = async (documentId: string) =>
    (await server.ask('GET', `${MEMO}/${documentId}/comments`)).meta.review
  const chooseStage = async (name: string): Promise<void> => {
    await stageIn().click()
    await page.getByRole('option', { name, exact: true }).click()
    await stageIn().filter({ hasText: name }).waitFor()
  }

  it(`take at most ${MAX_CLICKS} clicks from the request to the publication`, async () => {
    let clicks = 0
    const click = async (button: Locator): Promise<void> => {
      clicks += 1
      await button.click()
    }
    const id = await make('A round trip')
    await open(page, id)
    await section().getByText('Only drafts in the stage Ready can be published.').waitFor()
    await expectAccessible(page, 'review')
    await click(section().getByRole('button', { name: 'Ask for review' }))
    await expectAccessible(page, 'people to ask')
    await click(page.getByRole('menuitem', { name: 'Grace' }))
    await stageIn().filter({ hasText: 'In review' }).waitFor()
    await assigneeIn().filter({ hasText: 'Grace' }).waitFor()
    const box = section(page, 'Comments').getByRole('textbox')
    await box.fill('Is this right?')
    await click(section(page, 'Comments').getByRole('button', { name: 'Comment', exact: true }))
    await section(page, 'Comments').getByRole('listitem').waitFor()
    await takePicture(page, 'review')
    const grace = await openAs(server, 'Grace')
    try {
      const waiting = grace.page.getByRole('region', { name: 'Waiting for you' })
      await waiting.waitFor()
      await expectAccessible(grace.page, 'home with a review')
      await takePicture(grace.page, 'review-home')
      await click(waiting.getByRole('link', { name: /A round trip.*In review/ }))
      await click(section(grace.page, 'Comments').getByRole('button', { name: 'Resolve' }))
      await click(stageIn(grace.page))
      await click(grace.page.getByRole('option', { name: 'Ready', exact: true }))
      await stageIn(grace.page).filter({ hasText: 'Ready' }).waitFor()
      await click(grace.page.getByRole('button', { name: 'Publish', exact: true }))
      await untilPublished(grace.page)
      await assigneeIn(grace.page).filter({ hasText: 'Nobody' }).waitFor()
      await grace.page.goto(`${server.address}/studio`, { waitUntil: 'networkidle' })
      await grace.page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor()
      expect(await waiting.count()).to.equal(0)
    } finally {
      await grace.close()
    }
    expect(clicks).to.be.at.most(MAX_CLICKS)
  })

  it('save the form before a draft is ready, and end with the next edit', async () => {
    const unblock = await blockStream(page) // an event of the change of the stage reads the comments
    const id = await make('Before')
    await open(page, id)
    await titleOf(page).fill('Reviewed')
    await chooseStage('Ready')
    expect((await server.ask('GET', `${MEMO}/${id}`)).data.title).to.equal('Reviewed')
    expect((await reviewOf(id)).stage).to.equal('ready')
    const sent: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.includes('/comments')) sent.push(pathname)
    })
    await titleOf(page).fill('Edited')
    await stageIn().filter({ hasText: 'Draft' }).waitFor()
    expect(sent, 'the form knows by itself').to.deep.equal([])
    expect((await reviewOf(id)).stage).to.equal('draft')
    await untilSaved(page)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Only drafts in the last stage of the review can be published').waitFor()
    await unblock()
  })

  it('refuse to make a draft ready that somebody else has changed', async () => {
    const unblock = await blockStream(page)
    const id = await make('Read')
    await open(page, id)
    await stageIn().waitFor()
    await server.ask('PUT', `${MEMO}/${id}`, { data: { text: 'Changed meanwhile' } })
    await stageIn().click()
    await page.getByRole('option', { name: 'Ready', exact: true }).click()
    await page.getByText('Someone else has changed this. Check it again.').waitFor()
    await page.getByRole('textbox', { name: 'Text' }).waitFor()
    await page.waitForFunction(() =>
      [...document.querySelectorAll('textarea')].some(({ value }) => value === 'Changed meanwhile'),
    )
    expect((await reviewOf(id)).stage).to.equal('draft')
    await chooseStage('Ready')
    expect((await reviewOf(id)).stage).to.equal('ready')
    await unblock()
  })

  it('assign a draft with the keyboard', async () => {
    const id = await make('By keys')
    await open(page, id)
    await assigneeIn().press('Enter')
    await page.getByRole('option', { name: 'Grace' }).waitFor()
    await page.keyboard.type('Gra')
    await page.keyboard.press('Enter')
    await assigneeIn().filter({ hasText: 'Grace' }).waitFor()
    expect((await reviewOf(id)).assignee.name).to.equal('Grace')
    await assigneeIn().press('Enter')
    await page.keyboard.type('Nob')
    await page.keyboard.press('Enter')
    await assigneeIn().filter({ hasText: 'Nobody' }).waitFor()
    expect((await reviewOf(id)).assignee).to.equal(null)
  })

  it('are absent for types without stages', async () => {
    await page.goto(`${server.address}/studio/content/pieces`)
    const piece = await server.ask('POST', '/admin/content/api::piece.piece', {
      data: { title: 'Plain' },
    })
    await page.goto(`${server.address}/studio/content/pieces/${piece.data.documentId}`)
    await section(page, 'Comments').waitFor()
    expect(await section().count()).to.equal(0)
  })

  it('fit a phone', async () => {
    const id = await make('On a phone')
    const phone = await openAs(server, 'Ada')
    try {
      await phone.page.setViewportSize({ width: 360, height: 740 })
      await open(phone.page, id)
      await stageIn(phone.page).waitFor()
      await expectNoSidewaysScrolling(phone.page, 'review')
      await expectAccessible(phone.page, 'review on a phone')
      await stageIn(phone.page).scrollIntoViewIfNeeded()
      await takePicture(phone.page, 'review-phone')
    } finally {
      await phone.close()
    }
  })

  const openList = async (search = ''): Promise<void> => {
    await page.goto(`${server.address}/studio/content/memos${search}`)
    await page.getByRole('grid').waitFor()
  }
  const row = (title: string): Locator => page.getByRole('row').filter({ hasText: title })

  it('are a column and a filter of the list, in one request', async () => {
    for (const [title, stage] of [
      ['Asked memo', 'In review'],
      ['Ready memo', 'Ready'],
    ] as const) {
      const id = await make(title)
      await open(page, id)
      await chooseStage(stage)
    }
    await make('Begun memo')
    const sent: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/admin/') && pathname.includes('memo')) {
        sent.push(decodeURIComponent(pathname))
      }
    })
    await openList('?q=memo')
    await page.getByRole('columnheader', { name: 'Stage' }).waitFor()
    await row('Asked memo').getByText('In review').waitFor()
    await row('Ready memo').getByText('Ready', { exact: true }).waitFor()
    expect(sent.sort()).to.deep.equal([MEMO, '/admin/content-types/api::memo.memo'].sort())
    await page.getByRole('button', { name: '+ Filter' }).click()
    await page.getByRole('button', { name: 'Attribute' }).click()
    await page.getByRole('option', { name: 'Stage', exact: true }).click()
    await page.getByRole('button', { name: 'Condition' }).click()
    const conditions = await page.getByRole('option').allTextContents()
    expect(conditions).to.deep.equal(['is', 'is one of'])
    await page.getByRole('option', { name: 'is one of' }).click()
    for (const stage of ['In review', 'Ready']) {
      await page.getByRole('group', { name: 'Values' }).getByText(stage, { exact: true }).click()
    }
    await expectAccessible(page, 'a filter on stages')
    await takePicture(page, 'review-filter')
    sent.length = 0
    await page.getByRole('button', { name: 'Apply' }).click()
    await row('Begun memo').waitFor({ state: 'detached' })
    expect(sent).to.deep.equal([MEMO])
    await page.reload()
    await page.getByRole('button', { name: 'Stage is one of In review, Ready' }).waitFor()
    await row('Asked memo').waitFor()
    expect(await row('Begun memo').count()).to.equal(0)
    await expectAccessible(page, 'a list with stages')
    await takePicture(page, 'review-list')
  })

  it('speak German in the German Studio', async () => {
    const id = await make('Auf Deutsch')
    await chooseGerman(page, server)
    await open(page, id).catch(() => undefined)
    const german = section(page, 'Prüfung')
    await german.getByText('Nur Entwürfe in der Stufe Bereit').waitFor()
    await german.getByRole('button', { name: 'Um Prüfung bitten' }).click()
    await page.getByRole('menuitem', { name: 'Ada' }).click()
    await german.getByRole('button', { name: 'Stufe' }).filter({ hasText: 'In Prüfung' }).waitFor()
    await page.goto(`${server.address}/studio`)
    const waiting = page.getByRole('region', { name: 'Wartet auf Sie' })
    await waiting.getByRole('link', { name: /Auf Deutsch.*In Prüfung/ }).waitFor()
    await openList()
    await page.getByRole('columnheader', { name: 'Stufe' }).waitFor()
    await row('Auf Deutsch').getByText('In Prüfung').waitFor()
  })
})
