import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { chooseGerman, editorBefore, PIECE } from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

describeInBrowser('groups of filters', () => {
  let server: Server
  let window: Window
  let page: Page
  editorBefore((opened) => {
    ;({ server, window } = opened)
    page = window.page
  })
  before(async () => {
    for (const [title, kind] of [
      ['Blue whales', 'novel'],
      ['Blue foxes', 'poem'],
      ['Red foxes', 'novel'],
    ]) {
      await server.ask('POST', PIECE, { data: { title, kind } })
    }
  })

  const openList = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/content/pieces`)
    await page.getByRole('grid').waitFor()
  }
  const expectTitles = async (...titles: readonly string[]): Promise<void> => {
    await page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('[role=grid] [role=rowheader]')]
          .map((cell) => cell.textContent)
          .sort()
          .join() === wanted,
      titles.toSorted().join(),
    )
  }
  /** In the open form, by keys only. */
  const contains = async (text: string): Promise<void> => {
    await page.getByRole('button', { name: 'Attribute' }).press('Enter')
    await page.getByRole('option', { name: 'Title', exact: true }).waitFor()
    await page.keyboard.type('Title')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Condition' }).filter({ hasText: 'contains' }).waitFor()
    const value = page.getByLabel('Value')
    await value.focus()
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await value.waitFor({ state: 'detached' })
  }
  const button = (name: string, of: Locator | Page = page): Locator =>
    of.getByRole('button', { name, exact: true })
  const group = (name = 'Any of'): Locator => page.getByRole('group', { name })

  it('are made and removed with the keyboard, and kept in the address', async () => {
    await openList()
    await expectTitles('Blue whales', 'Blue foxes', 'Red foxes')
    expect(await button('+ Any of').count(), 'nothing to combine yet').to.equal(0)
    await button('+ Filter').press('Enter')
    await contains('o')
    await expectTitles('Blue foxes', 'Red foxes')
    await button('+ Any of').press('Enter')
    await contains('red')
    await expectTitles('Red foxes')
    await button('+ or', group()).press('Enter')
    await contains('blue')
    await expectTitles('Blue foxes', 'Red foxes')
    await expectAccessible(page, 'a group of filters')
    await takePicture(page, 'list-group')
    await page.reload()
    await expectTitles('Blue foxes', 'Red foxes')
    const remove = group().getByRole('button', { name: 'Remove filter' })
    await remove.last().press('Enter')
    await expectTitles('Red foxes')
    await button('+ or', group()).and(page.locator(':focus')).waitFor()
    await remove.last().press('Enter')
    await expectTitles('Blue foxes', 'Red foxes')
    await group().waitFor({ state: 'detached' })
    await button('+ Filter').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+z')
    await group().waitFor()
    await expectTitles('Red foxes')
  })

  it('match all of their filters, if one filter of the list is enough', async () => {
    await openList()
    await button('+ Filter').click()
    await contains('whales')
    await button('+ Any of').click()
    await contains('red')
    await expectTitles()
    await page.getByRole('button', { name: 'Combination' }).click()
    await page.getByRole('option', { name: 'At least one condition matches' }).click()
    await expectTitles('Blue whales', 'Red foxes')
    await button('+ and', group('All of')).click()
    await contains('blue')
    await expectTitles('Blue whales')
    await expectAccessible(page, 'alternatives of filters')
    await takePicture(page, 'list-alternatives')
    await button('+ Filter').click()
    await page.getByRole('button', { name: 'Attribute' }).click()
    const names = await page.getByRole('option').allTextContents()
    expect(names, 'the state narrows the whole list').to.include('Title').and.not.include('State')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Views' }).click()
    await button('Save this list').click()
    await page.getByRole('dialog').getByLabel('Name').fill('Whales or red')
    await page.keyboard.press('Enter')
    await page.getByText('View saved: Whales or red').waitFor()
    await openList()
    await expectTitles('Blue whales', 'Blue foxes', 'Red foxes')
    await page.getByRole('button', { name: 'Views' }).click()
    await button('Whales or red').click()
    await group('All of').waitFor()
    await expectTitles('Blue whales')
  })

  it('speak German in the German Studio, and fit a phone', async () => {
    const address = new URL(page.url()).search
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${server.address}/studio/content/pieces${address}`)
    await group('Alle von').getByRole('button', { name: '+ und' }).waitFor()
    await button('+ Alle von').waitFor()
    await expectNoSidewaysScrolling(page, 'a group of filters')
    await takePicture(page, 'list-group-phone')
  })
})
