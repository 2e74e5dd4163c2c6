/** Style sheets that are imported for their effect: the bundler puts them into the panel's one sheet. */
declare module "*.css";
