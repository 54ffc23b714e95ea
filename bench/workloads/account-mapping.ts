/** The mapping of README.md in a sync's syntax, its properties in the order of the oracle's. */
export const accountMapping = {
  account_id: "id",
  domain: "domain",
  account_properties: {
    name: "name",
    industry: "industry",
    employees: { column: "employees", as: "integer" },
    country: "country",
    city: "city",
    founded_year: { column: "founded_year", as: "integer" },
    annual_revenue: { column: "annual_revenue", as: "integer" },
    funding_stage: "funding_stage",
    phone: "phone",
    owner_email: "owner_email",
    description: "description",
    updated_at: "updated_at",
  },
} as const;
