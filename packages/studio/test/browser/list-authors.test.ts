import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { chooseGerman, editorBefore, openAs, PIECE, titleOf, untilSaved } from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

describeInBrowser('authors in lists', () => {
  let server: Server
  let window: Window
  let page: Page
  editorBefore((opened) => {
    ;({ server, window } = opened)
    page = window.page
  })
  before(async () => {
    await write(page, 'By Ada')
    const grace = await openAs(server, 'Grace')
    await write(grace.page, 'By Grace')
    await grace.close()
    await server.ask('POST', PIECE, { data: { title: 'By a program' } })
  })

  const write = async (of: Page, title: string): Promise<void> => {
    await of.goto(`${server.address}/studio/content/pieces/new`)
    await titleOf(of).fill(title)
    await untilSaved(of)
  }
  const openList = async (search = ''): Promise<void> => {
    await page.goto(`${server.address}/studio/content/pieces${search}`)
    await page.getByRole('grid').waitFor()
  }
  const row = (title: string): Locator => page.getByRole('row').filter({ hasText: title })
  const filterBy = async (attribute: string, person: string): Promise<void> => {
    await page.getByRole('button', { name: '+ Filter' }).click()
    await page.getByRole('button', { name: 'Attribute' }).click()
    await page.getByRole('option', { name: attribute, exact: true }).click()
    await page.getByRole('button', { name: 'Value' }).click()
    await page.getByRole('option', { name: person, exact: true }).click()
  }
  const apply = () => page.getByRole('button', { name: 'Apply' }).click()

  it('are columns with names, in the same request', async () => {
    await openList()
    expect(await page.getByRole('columnheader', { name: 'Created by' }).count()).to.equal(0)
    const sent: string[] = []
    page.on('request', (request) => {
      const path = decodeURIComponent(new URL(request.url()).pathname)
      if (path.startsWith('/admin/') && !path.includes('/preferences/')) sent.push(path)
    })
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByText('Created by').click()
    await row('By Grace').getByText('Grace', { exact: true }).waitFor()
    expect(sent).to.deep.equal([PIECE])
    await page.getByRole('dialog').getByText('Updated by').click()
    await page.getByRole('columnheader', { name: 'Updated by' }).waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'a list with authors')
    await takePicture(page, 'list-authors')
    await page.reload()
    await row('By Ada').getByText('Ada', { exact: true }).first().waitFor()
  })

  it('are filters by a person and by the user, also in saved views', async () => {
    await openList()
    await filterBy('Created by', 'Grace')
    await expectAccessible(page, 'a filter on authors')
    await takePicture(page, 'list-authors-filter')
    await apply()
    await row('By Ada').waitFor({ state: 'detached' })
    await row('By Grace').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Created by Grace' }).waitFor()
    await row('By Grace').waitFor()
    await page.getByRole('button', { name: 'Remove filter' }).click()
    await filterBy('Updated by', 'me')
    await apply()
    await row('By Grace').waitFor({ state: 'detached' })
    await row('By Ada').waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('button', { name: 'Save this list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this list as a view' })
    await dialog.getByLabel('Name').fill('Mine')
    await dialog.getByText('Share with the team', { exact: true }).click()
    await page.keyboard.press('Enter')
    await page.getByText('View saved: Mine').waitFor()
    const grace = await openAs(server, 'Grace')
    try {
      await grace.page.goto(`${server.address}/studio/content/pieces`)
      await grace.page.getByRole('button', { name: 'Views' }).click()
      await grace.page.getByRole('button', { name: /^Mine/ }).click()
      await grace.page.getByRole('button', { name: 'Updated by me' }).waitFor()
      await grace.page.getByRole('row').filter({ hasText: 'By Grace' }).waitFor()
      await grace.page.getByRole('row').filter({ hasText: 'By Ada' }).waitFor({ state: 'detached' })
    } finally {
      await grace.close()
    }
  })

  it('speak German in the German Studio, and fit a phone', async () => {
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 360, height: 740 })
    const filter = encodeURIComponent('[{"at":"$createdBy","is":"is","to":"$me"}]')
    await openList(`?filters=${filter}`)
    await page.getByRole('button', { name: 'Angelegt von mir' }).waitFor()
    await row('By Ada').waitFor()
    expect(await row('By Grace').count()).to.equal(0)
    await page.getByRole('columnheader', { name: 'Geändert von' }).waitFor({ state: 'attached' })
    await expectNoSidewaysScrolling(page, 'a list with authors')
    await takePicture(page, 'list-authors-phone')
  })
})
