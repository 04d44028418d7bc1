import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  chooseGerman,
  editorBefore,
  fieldAt,
  openAs,
  openPiece,
  PIECE,
  titleOf,
  untilPublished,
} from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

describeInBrowser('comments', () => {
  let server: Server
  let window: Window
  let page: Page
  editorBefore((opened) => {
    ;({ server, window } = opened)
    page = window.page
  })

  const make = async (title: string): Promise<string> =>
    (await server.ask('POST', PIECE, { data: { title } })).data.documentId
  const section = (of = page): Locator =>
    of.getByRole('complementary').getByRole('region', { name: 'Comments' })
  const commentsIn = (of = page): Locator => section(of).getByRole('listitem')
  const textOf = (of = page, name = 'Comment on this entry'): Locator =>
    section(of).getByRole('textbox', { name })

  it('take at most eight clicks from the question to the publication', async () => {
    let clicks = 0
    const click = async (button: Locator): Promise<void> => {
      clicks += 1
      await button.click()
    }
    const id = await make('A round trip')
    await openPiece(page, server, id)
    const teaser = fieldAt(page, 'teaser')
    await teaser.hover()
    await click(teaser.getByRole('button', { name: 'Comment on Teaser' }))
    const field = textOf(page, 'Comment on Teaser')
    await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
    await page.keyboard.type('Is this short enough, @gra')
    await click(page.getByRole('option', { name: 'Grace' }))
    expect(await field.inputValue()).to.equal('Is this short enough, @Grace ')
    await page.keyboard.type('?')
    await expectAccessible(page, 'comment')
    await click(section().getByRole('button', { name: 'Comment', exact: true }))
    await commentsIn().filter({ hasText: 'Is this short enough, @Grace ?' }).waitFor()
    await teaser.getByRole('button', { name: 'Teaser: 1 open comment' }).waitFor()
    const grace = await openAs(server, 'Grace')
    try {
      const inbox = grace.page.getByRole('region', { name: 'Comments for you' })
      await expectAccessible(grace.page, 'inbox')
      await click(inbox.getByRole('link', { name: /Ada mentioned you.*A round trip/ }))
      await commentsIn(grace.page).filter({ hasText: 'Teaser' }).waitFor()
      await takePicture(grace.page, 'comments')
      await click(section(grace.page).getByRole('button', { name: 'Resolve' }))
      await commentsIn(grace.page).waitFor({ state: 'detached' })
      await click(grace.page.getByRole('button', { name: 'Publish', exact: true }))
      await untilPublished(grace.page)
      await grace.page.goto(`${server.address}/studio`, { waitUntil: 'networkidle' })
      await grace.page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor()
      expect(await inbox.count()).to.equal(0)
    } finally {
      await grace.close()
    }
    expect(clicks).to.be.at.most(8)
  })

  it('can be written, resolved, opened, edited and deleted with the keyboard', async () => {
    await openPiece(page, server, await make('By keys'))
    await commentsIn().waitFor({ state: 'detached' })
    await textOf().waitFor()
    await fieldAt(page, 'teaser').getByRole('textbox').focus()
    await page.keyboard.press('Control+Alt+m')
    const field = textOf(page, 'Comment on Teaser')
    await page.keyboard.type('Ask @')
    await page.getByRole('option', { name: 'Ada' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('now')
    expect(await field.inputValue()).to.equal('Ask @Grace now')
    await page.keyboard.press('Control+Enter')
    const [one] = [commentsIn().filter({ hasText: 'Ask @Grace now' })]
    await one.waitFor()
    await page.locator('main header').getByText('Draft', { exact: true }).waitFor()
    await one.getByRole('button', { name: 'Resolve' }).press('Enter')
    await one.waitFor({ state: 'detached' })
    await section().getByRole('button', { name: 'Show 1 resolved' }).press('Enter')
    await one.getByText(/^Resolved by Ada/).waitFor()
    await expectAccessible(page, 'resolved comments')
    await one.getByRole('button', { name: 'Open again' }).press('Enter')
    await one.getByRole('button', { name: 'Edit' }).press('Enter')
    await textOf(page, 'Text of the comment').fill('Mended')
    await page.keyboard.press('Control+Enter')
    const mended = commentsIn().filter({ hasText: 'Mended' })
    await mended.getByText('Edited', { exact: true }).waitFor()
    await mended.getByRole('button', { name: 'Delete' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await mended.waitFor({ state: 'detached' })
  })

  it('show edit and delete to the author only', async () => {
    const id = await make('Of another')
    const grace = await openAs(server, 'Grace')
    await openPiece(grace.page, server, id)
    await textOf(grace.page).fill('By Grace')
    await section(grace.page).getByRole('button', { name: 'Comment', exact: true }).click()
    await commentsIn(grace.page).getByRole('button', { name: 'Edit' }).waitFor()
    await grace.close()
    await openPiece(page, server, id)
    const buttons = commentsIn().getByRole('button')
    await buttons.first().waitFor()
    expect(await buttons.allTextContents()).to.deep.equal(['Resolve'])
  })

  it('are absent for new entries', async () => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    await titleOf(page).waitFor()
    expect(await section().count()).to.equal(0)
    expect(await page.getByRole('button', { name: /^Comment on/ }).count()).to.equal(0)
  })

  it('fit a phone', async () => {
    const id = await make('On a phone')
    const phone = await openAs(server, 'Ada')
    try {
      await phone.page.setViewportSize({ width: 360, height: 740 })
      await openPiece(phone.page, server, id)
      await textOf(phone.page).fill('x'.repeat(300))
      await section(phone.page).getByRole('button', { name: 'Comment', exact: true }).click()
      await commentsIn(phone.page).first().waitFor()
      await expectNoSidewaysScrolling(phone.page, 'comments')
      await expectAccessible(phone.page, 'comments on a phone')
      await takePicture(phone.page, 'comments-phone')
    } finally {
      await phone.close()
    }
  })

  it('speak German in the German Studio', async () => {
    const id = await make('Auf Deutsch')
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/pieces/${id}`)
    const german = page.getByRole('complementary').getByRole('region', { name: 'Kommentare' })
    await german.getByRole('textbox', { name: 'Diesen Eintrag kommentieren' }).fill('Stimmt das?')
    await german.getByRole('button', { name: 'Kommentieren', exact: true }).click()
    await german.getByText('Stimmt das?').waitFor()
    await german.getByRole('button', { name: 'Erledigt' }).click()
    await german.getByRole('button', { name: '1 erledigten zeigen' }).click()
    await german.getByText(/^Erledigt von Ada/).waitFor()
  })
})
