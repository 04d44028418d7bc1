import type { Demo } from './prepare-demo.ts'

/** What the demo prints when it listens. */
export function welcome(demo: Demo, address: string, database: string): string {
  const lines = [`Address   ${address}`, `Database  ${database}`]
  if (demo.kind === 'other') {
    lines.push(
      `Content   your own: ${demo.why}, so the sample was left out and nothing was opened.`,
      '          An empty one shows it: MONGODB_DATABASE=quire_demo npm run demo',
    )
  } else {
    lines.push(
      `Token     ${demo.token}`,
      `          (read-only, drafts included; kept in ${demo.tokenFile})`,
      '',
      ...examples(address, demo.token).flatMap(([title, command]) => [title, command, '']),
      'Ctrl-C ends it. npm run seed -- --cities 138000 brings in all cities.',
    )
  }
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`
}

/** Titles and commands for a POSIX shell: in single quotes, where `$` is a dollar; -g leaves brackets alone. */
export function examples(
  address: string,
  token: string,
): readonly (readonly [title: string, command: string])[] {
  const get = (path: string, options = ''): string => `curl -g ${options}'${address}/api/${path}'`
  return [
    [
      'The cities of more than eight million, the largest first:',
      get(
        'cities?filters[population][$gt]=8000000&sort=population:desc&fields=name,population&pagination[pageSize]=5',
      ),
    ],
    [
      'The landlocked countries of Europe by area, in Japanese:',
      get(
        'countries?locale=ja&filters[region][$eq]=Europe&filters[landlocked][$eq]=true&sort=area:desc&fields=name,capital,flag',
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
