import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { chooseGerman, editorBefore, openAs, PIECE } from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

describeInBrowser('saved views', () => {
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
      ['Red foxes', 'poem'],
    ]) {
      await server.ask('POST', PIECE, { data: { title, kind } })
    }
    const { data: people } = await server.ask('GET', '/admin/administrators')
    const grace = (people as readonly { name: string; id: string }[]).find(
      ({ name }) => name === 'Grace',
    )
    await server.ask('PUT', `/admin/administrators/${grace?.id}`, { roles: ['editor'] })
  })

  const openList = async (of: Page, search = ''): Promise<void> => {
    await of.goto(`${server.address}/studio/content/pieces${search}`)
    await of.getByRole('heading', { level: 1, name: 'Pieces' }).waitFor()
  }
  const menu = (of = page, name = 'Views'): Locator => of.getByRole('dialog', { name })
  const openMenu = async (of = page): Promise<Locator> => {
    await of.getByRole('button', { name: 'Views' }).click()
    await menu(of).getByRole('button', { name: 'Save this list' }).waitFor()
    return menu(of)
  }
  const closeMenu = async (of = page): Promise<void> => {
    await of.keyboard.press('Escape')
    await menu(of).waitFor({ state: 'detached' })
  }
  const save = async (name: string, isShared: boolean): Promise<void> => {
    await (await openMenu()).getByRole('button', { name: 'Save this list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this list as a view' })
    await dialog.getByLabel('Name').fill(name)
    if (isShared) await dialog.getByText('Share with the team', { exact: true }).click()
    await expectAccessible(page, 'save a view')
    await page.keyboard.press('Enter')
    await page.getByText(`View saved: ${name}`).waitFor()
  }
  const act = async (name: string, action: string): Promise<void> => {
    await (await openMenu()).getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const row = (title: string, of = page): Locator => of.getByRole('row').filter({ hasText: title })

  it('save a list with its search and columns, and show it again', async () => {
    await openList(page, '?q=whales')
    await row('Blue whales').waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByText('Created', { exact: true }).click()
    await page.getByRole('columnheader', { name: 'Created', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    const opened = await openMenu()
    await opened.getByText('Search, filter, or choose columns').waitFor()
    await closeMenu()
    await save('Whales', false)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await page
      .getByRole('columnheader', { name: 'Created', exact: true })
      .waitFor({ state: 'detached' })
    await openList(page)
    await row('Red foxes').waitFor()
    const views = await openMenu()
    await expectAccessible(page, 'views')
    await takePicture(page, 'list-views')
    await views.getByRole('button', { name: 'Whales', exact: true }).click()
    await row('Red foxes').waitFor({ state: 'detached' })
    await page.getByRole('columnheader', { name: 'Created', exact: true }).waitFor()
    const box = page.getByRole('searchbox')
    expect(await box.inputValue()).to.equal('whales')
    const current = (await openMenu()).locator('[aria-current=true]')
    expect(await current.allTextContents()).to.deep.equal(['Whales'])
    await closeMenu()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Created', exact: true }).waitFor()
    await page.goBack()
    await row('Red foxes').waitFor()
    expect(await box.inputValue()).to.equal('')
    await box.pressSequentially('foxes ')
    await row('Blue whales').waitFor({ state: 'detached' })
    expect(await box.inputValue()).to.equal('foxes ')
  })

  it('leave the columns of the user alone', async () => {
    await openList(page)
    await (await openMenu()).getByRole('button', { name: 'Whales', exact: true }).click()
    await page.getByRole('columnheader', { name: 'Created', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByText('Updated', { exact: true }).click()
    await page
      .getByRole('columnheader', { name: 'Updated', exact: true })
      .waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await openList(page)
    await page.getByRole('columnheader', { name: 'Updated', exact: true }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Created', exact: true }).count()).to.equal(
      0,
    )
  })

  it('share a view with the team, which may not change it', async () => {
    await openList(page, '?q=foxes')
    await save('Foxes', true)
    const grace = await openAs(server, 'Grace')
    try {
      await openList(grace.page)
      const views = await openMenu(grace.page)
      const team = views.getByRole('region', { name: 'Team views' })
      expect(await team.getByRole('listitem').allTextContents()).to.deep.equal(['FoxesAda'])
      expect(await views.getByRole('button', { name: /Actions for/ }).count()).to.equal(0)
      await team.getByRole('button', { name: /Foxes/ }).click()
      await row('Blue whales', grace.page).waitFor({ state: 'detached' })
      await row('Red foxes', grace.page).waitFor()
    } finally {
      await grace.close()
    }
  })

  it('are renamed, replaced, hidden and deleted, with undo', async () => {
    await openList(page)
    await act('Foxes', 'Rename')
    const dialog = page.getByRole('dialog', { name: 'Rename' })
    await dialog.getByLabel('Name').fill('Animals')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await act('Animals', 'Replace with this list')
    await page.getByText('View replaced: Animals').waitFor()
    await act('Animals', 'Stop sharing')
    await page.getByText('No longer shared: Animals').waitFor()
    const own = (await openMenu()).getByRole('region', { name: 'My views' })
    expect(await own.getByRole('listitem').allTextContents()).to.deep.equal(['Animals', 'Whales'])
    await closeMenu()
    await openList(page, '?q=whales')
    await (await openMenu()).getByRole('button', { name: 'Animals', exact: true }).click()
    await row('Blue whales').waitFor()
    await row('Red foxes').waitFor()
    await act('Animals', 'Delete')
    await page.getByText('View deleted: Animals').waitFor()
    await page.keyboard.press('Control+z')
    const again = await openMenu()
    await again.getByRole('button', { name: 'Animals', exact: true }).waitFor()
    await closeMenu()
  })

  it('keep a filter with several values', async () => {
    await server.ask('POST', PIECE, { data: { title: 'Without a kind' } })
    await openList(page)
    await row('Without a kind').waitFor()
    await page.getByRole('button', { name: '+ Filter' }).click()
    await page.getByRole('button', { name: 'Attribute' }).click()
    await page.getByRole('option', { name: 'Kind', exact: true }).click()
    const filter = page.getByRole('dialog', { name: '+ Filter' })
    await filter.getByRole('button', { name: 'Value' }).click()
    await page.getByRole('option', { name: 'novel' }).click()
    await filter.getByRole('button', { name: 'Condition' }).click()
    await page.getByRole('option', { name: 'is one of' }).click()
    const values = filter.getByRole('group', { name: 'Values' })
    expect(await values.getByRole('checkbox', { name: 'novel' }).isChecked()).to.equal(true)
    await values.getByText('poem').click()
    await expectAccessible(page, 'filter with several values')
    await takePicture(page, 'filter-one-of')
    await filter.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Kind is one of novel, poem' }).waitFor()
    await row('Without a kind').waitFor({ state: 'detached' })
    await row('Blue whales').waitFor()
    await save('With a kind', false)
    await openList(page)
    await row('Without a kind').waitFor()
    await (await openMenu()).getByRole('button', { name: 'With a kind', exact: true }).click()
    await row('Without a kind').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Kind is one of novel, poem' }).click()
    const edited = page.getByRole('dialog', { name: 'Change filter' })
    await edited.getByText('poem', { exact: true }).click()
    await edited.getByRole('button', { name: 'Apply' }).click()
    await row('Red foxes').waitFor({ state: 'detached' })
    await row('Blue whales').waitFor()
  })

  it('say what is wrong with a name, and fit on a phone, in German too', async () => {
    await openList(page)
    await (await openMenu()).getByRole('button', { name: 'Save this list' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this list as a view' })
    await page.keyboard.press('Enter')
    await dialog.getByText('Required').waitFor()
    await page.keyboard.press('Escape')
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${server.address}/studio/content/pieces`)
    await page.getByRole('button', { name: 'Ansichten' }).click()
    await menu(page, 'Ansichten').getByText('Meine Ansichten').waitFor()
    await expectNoSidewaysScrolling(page, 'Ansichten')
    await expectAccessible(page, 'Ansichten')
    await takePicture(page, 'list-views-phone')
  })
})
