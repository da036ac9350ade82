// This file defines the server as a program: which one to start, and why one cannot be started.

import { execFile } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { serverPath } from './config';

const run = promisify(execFile);

/** Milliseconds that a server has for its first answer; a slow disk is no failure. */
export const answerWithin = 20_000;

/** A program that has answered, so it exists, may be executed and fits the machine. */
export interface Server {
  path: string;
  version: string; // as `warplint version` prints it, in one line
}

/** Says in one sentence, for the user, why there is no server. */
export class ServerError extends Error {}

/** Finds the server that the settings name, else the bundled one, and asks for its version. */
export async function findServer(extension: vscode.ExtensionContext): Promise<Server> {
  const named = serverPath();
  const program = named ?? extension.asAbsolutePath(path.join('bin', executable('warplint')));
  const origin = named === undefined ? 'The bundled server' : 'The program that warplint.server.path names';
  const { stdout } = await run(program, ['version'], { timeout: answerWithin }).catch((error: unknown) => {
    throw new ServerError(`${origin}, ${program}, ${reason(error as ProgramError)}.`);
  });
  if (!stdout.startsWith('warplint ')) {
    throw new ServerError(`${origin}, ${program}, is another program: its "version" does not print "warplint".`);
  }
  return { path: program, version: stdout.trim().replaceAll(/\s*\n\s*/g, ', ') };
}

type ProgramError = NodeJS.ErrnoException & { killed?: boolean; stderr?: string };

function reason(error: ProgramError): string {
  const platform = `${process.platform}-${process.arch}`;
  switch (error.code) {
    case 'ENOENT':
      return 'does not exist';
    case 'EACCES':
      return 'may not be executed';
    case 'ENOEXEC':
    case 'UNKNOWN': // what Windows says of it
      return `is not a program for ${platform}`;
  }
  if (error.killed) {
    return `did not print its version within ${answerWithin / 1000} seconds`;
  }
  const said = error.stderr?.trim().split('\n', 1)[0] ?? '';
  return `could not print its version: ${said === '' ? `it ended with status ${error.code}` : said}`;
}

function executable(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}
