import { expect } from 'chai'
import { describeInBrowser } from './browser.ts'
import { openAs, startWithEditors } from './editors.ts'
import type { Server } from './server.ts'

const PIECE = 'api::piece.piece'

describeInBrowser('the filters of editors under rules', () => {
  let server: Server
  before(async () => {
    server = await startWithEditors()
  })
  after(() => server.stop())

  const filtersOf = async (where: object): Promise<readonly string[]> => {
    const rules = ['find', 'findOne', 'readDrafts'].map((verb) => ({
      action: `${PIECE}.${verb}`,
      where: verb === 'readDrafts' ? where : {},
    }))
    const type = `readers${Object.keys(where).length}`
    await server.ask('POST', '/admin/administrator-roles', {
      type,
      name: type,
      permissions: [],
      rules,
    })
    const people = (await server.ask('GET', '/admin/administrators')).data
    const { id } = people.find(({ name }: { readonly name: string }) => name === 'Grace')
    await server.ask('PUT', `/admin/administrators/${id}`, { roles: [type] })
    const window = await openAs(server, 'Grace')
    const { page } = window
    try {
      await page.goto(`${server.address}/studio/content/pieces`)
      await page.getByRole('button', { name: '+ Filter' }).click()
      await page.getByRole('button', { name: 'Attribute' }).click()
      await page.getByRole('option', { name: 'Title' }).waitFor()
      return await page.getByRole('option').allInnerTexts()
    } finally {
      await window.close()
    }
  }

  it('include the state if rules show both versions of every entry', async () => {
    expect(await filtersOf({})).to.include('State')
  })

  it('leave out the state if a rule can hide a version', async () => {
    expect(await filtersOf({ title: { $startsWith: 'A' } })).to.not.include('State')
  })
})
