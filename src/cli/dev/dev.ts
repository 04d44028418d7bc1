// `quire dev`: serves a project with editable content-types, and restarts after changes.
import { refuseArguments } from '../../base/config/answer-arguments.ts'
import { keepServer } from './keep-server.ts'
import { watchProject } from './watch-project.ts'

refuseArguments(`Usage: quire dev

  Starts the server of the project in this folder, and restarts it after each change of its files.
  The Studio can edit content-types. The environment, a .env file and quire.config.ts configure it.`)

const say = (message: string): boolean => process.stderr.write(`quire dev: ${message}\n`)
const watching = watchProject(process.cwd(), () => server.restart())
const server = keepServer({ say, onFolders: (folders) => watching.setFolders(folders) })

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isStopping) return
    isStopping = true
    watching.close()
    say(`${signal}: stops the server`)
    void server.stop().then((status) => {
      say('stopped')
      process.exit(status)
    })
  })
}
