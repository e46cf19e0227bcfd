// What samples/Shop asks its database for the home page, asked of the same file. Compiled by Mono at the first request.
using System;
using System.Collections.Generic;
using System.Globalization;
using Mono.Data.Sqlite;

public class Item
{
    public string Slug { get; set; }
    public string Name { get; set; }
    public string Department { get; set; }
    public string Summary { get; set; }
    public string Price { get; set; }
    public int Stock { get; set; }
}

public static class Catalogue
{
    private const string FirstPageQuery =
        "SELECT id, slug, name, category, summary, price_cents, stock FROM items ORDER BY id LIMIT 50";

    private static readonly string ConnectionString = new SqliteConnectionStringBuilder
    {
        DataSource = Environment.GetEnvironmentVariable("SHOP_DATABASE"),
        Pooling = true,
    }.ToString();

    private static readonly Dictionary<string, string> DepartmentNames = new Dictionary<string, string>
    {
        { "kitchen", "Kitchen" },
        { "coffee-tea", "Coffee & tea" },
        { "desk", "Desk" },
        { "garden", "Garden" },
        { "outdoor", "Outdoor" },
        { "living", "Living" },
    };

    public static IEnumerable<KeyValuePair<string, string>> Departments
    {
        get { return DepartmentNames; }
    }

    public static List<Item> FirstPage()
    {
        var items = new List<Item>(50);
        using (var connection = new SqliteConnection(ConnectionString))
        {
            connection.Open();
            using (var command = new SqliteCommand(FirstPageQuery, connection))
            using (var reader = command.ExecuteReader())
            {
                while (reader.Read())
                {
                    items.Add(new Item
                    {
                        Slug = reader.GetString(1),
                        Name = reader.GetString(2),
                        Department = DepartmentNames[reader.GetString(3)],
                        Summary = reader.GetString(4),
                        Price = (reader.GetInt32(5) / 100m).ToString("€#,##0.00", CultureInfo.InvariantCulture),
                        Stock = reader.GetInt32(6),
                    });
                }
            }
        }

        return items;
    }
}
