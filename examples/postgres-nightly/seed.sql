-- A hundred and twenty companies that do not exist, the same every time, as if they had changed over the last day, one by one.
insert into crm.companies (id, company_name, website, industry, headcount, updated_at)
select
  n,
  (array['Amber', 'Blue', 'Cedar', 'Delta', 'Ember', 'Fjord', 'Granite', 'Harbour'])[1 + n % 8] || ' ' ||
    (array['Works', 'Systems', 'Foods', 'Logistics', 'Health'])[1 + n % 5] || ' ' || n,
  'https://www.company-' || n || '.example/about',
  (array['software', 'fintech', 'retail', 'logistics', 'health'])[1 + n % 5],
  1 + (n * 7919) % 5000,
  now() - make_interval(mins => (120 - n) * 12)
from generate_series(1, 120) as n
on conflict (id) do nothing;
