import { afterAll, beforeAll } from "vitest";

import { Project } from "./project.ts";

/**
 * Makes a project with a worker for all tests of a file: a worker takes longer to start than most of them take. Returns
 * a function that gives the project to a test.
 */
export function sharedProject(files: Readonly<Record<string, string>>): () => Project {
  const ends = new AsyncDisposableStack();
  let project: Project | undefined;
  beforeAll(async () => {
    project = await Project.start((work) => ends.defer(work), files);
    await project.worker();
  });
  afterAll(async () => await ends.disposeAsync());
  return () => {
    if (project === undefined)
      throw new Error("the project is there when a test runs, and not before");
    return project;
  };
}
