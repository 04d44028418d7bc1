import { studioLink } from '../../../../src/people/administrators/studio-links.ts'
import type { Demo } from './prepare-demo.ts'

export function formatWelcome(demo: Demo, address: string, database: string): string {
  const lines = [`Address   ${address}`, `Studio    ${address}/studio`, `Database  ${database}`]
  if (demo.kind === 'other') {
    lines.push(
      `Content   your own: ${demo.why}, so the sample was left out and nothing was opened.`,
      '          An empty one shows it: MONGODB_DATABASE=quire_demo npm run demo',
    )
  } else {
    if (demo.signIn !== null) {
      lines.push(
        `Sign in   ${studioLink(address, 'sign-in', demo.signIn)}`,
        '          (as the administrator of the demo; once, within an hour)',
      )
    }
    lines.push(
      `Token     ${demo.token}`,
      `          (read-only, drafts included; kept in ${demo.tokenFile})`,
      '',
      ...listExamples(address, demo.token).flatMap(([title, command]) => [title, command, '']),
      'Ctrl-C ends it. npm run seed -- --cities 138000 brings in all cities.',
    )
  }
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`
}

/**
 * Titles and commands for a POSIX shell. Single quotes protect `$`, and -g leaves brackets alone.
 * The examples query countries, because sorting all cities takes the embedded engine more than a
 * second.
 */
export function listExamples(
  address: string,
  token: string,
): readonly (readonly [title: string, command: string])[] {
  const get = (path: string, options = ''): string => `curl -g ${options}'${address}/api/${path}'`
  return [
    [
      'The largest landlocked countries of Africa:',
      get(
        'countries?filters[region][$eq]=Africa&filters[landlocked][$eq]=true&sort=area:desc&fields=name,capital,area&pagination[pageSize]=5',
      ),
    ],
    [
      'Switzerland with its neighbours, in Japanese:',
      get(
        'countries?locale=ja&filters[cca3][$eq]=CHE&fields=name,flag&populate[borders][fields]=name',
      ),
    ],
    [
      'The articles with those that are not published, which only the token may see:',
      get(
        'articles?status=draft&sort=title&fields=title,excerpt',
        `-H 'Authorization: Bearer ${token}' `,
      ),
    ],
  ]
}
