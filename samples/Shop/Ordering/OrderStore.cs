using System.Data.Common;
using ShopSample.Baskets;
using ShopSample.Catalog;
using ShopSample.Data;

namespace ShopSample.Ordering;

/// <summary>Places orders, all of it or nothing, and finds them again.</summary>
public sealed class OrderStore(ShopDatabase database, TimeProvider time)
{
    /// <summary>
    /// Places a valid form's order of these lines, unless the database has other prices by now. The number is the
    /// checkout's: a form that is sent twice is one order, which both attempts find.
    /// </summary>
    public async Task<Placement> PlaceAsync(
        OrderNumber number,
        OrderForm form,
        IReadOnlyList<BasketLine> wanted,
        CancellationToken cancellationToken)
    {
        try
        {
            return await PlaceOnceAsync(number, form, wanted, cancellationToken);
        }
        catch (DbException)
        {
            // The number is unique in the database, so the attempt that came second fails.
            if (await FindAsync(number, cancellationToken) is not null)
            {
                return Placement.Of(number);
            }

            throw;
        }
    }

    /// <returns>Null when there is no such order.</returns>
    public async Task<Order?> FindAsync(OrderNumber number, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        var lines = await LinesAsync(connection, number, cancellationToken);
        await using var command = connection.CreateCommand(
            """
            SELECT placed_at, name, email, street, postcode, city, country, note, delivery_cents
            FROM orders WHERE number = @number
            """,
            ("@number", number.Value));
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        if (!await reader.ReadAsync(cancellationToken))
        {
            return null;
        }

        return new Order(
            number,
            UtcText.Parse(reader.GetString(0)),
            reader.GetString(1),
            reader.GetString(2),
            reader.GetString(3),
            reader.GetString(4),
            reader.GetString(5),
            reader.GetString(6),
            reader.GetString(7),
            reader.GetMoney(8),
            lines);
    }

    private async Task<Placement> PlaceOnceAsync(
        OrderNumber number,
        OrderForm form,
        IReadOnlyList<BasketLine> wanted,
        CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        await using var transaction = await connection.BeginTransactionAsync(cancellationToken);

        // First of all: a second attempt waits here for the first, and takes nothing out of the stock.
        await InsertAsync(transaction, number, form, cancellationToken);

        // In the same order everywhere, so that two orders of the same items cannot wait for each other.
        var lines = new List<OrderLine>();
        foreach (var each in wanted.OrderBy(line => line.Item.Id))
        {
            if (await TakeAsync(transaction, each, cancellationToken) is not { } line)
            {
                return Placement.Without(each.Item.Id);
            }

            lines.Add(line);
        }

        await SetDeliveryAsync(transaction, number, Delivery.CostOf(lines.Sum(line => line.Total)), cancellationToken);
        foreach (var line in lines)
        {
            await InsertAsync(transaction, number, line, cancellationToken);
        }

        await transaction.CommitAsync(cancellationToken);
        return Placement.Of(number);
    }

    private static async Task<IReadOnlyList<OrderLine>> LinesAsync(
        DbConnection connection, OrderNumber number, CancellationToken cancellationToken)
    {
        await using var command = connection.CreateCommand(
            """
            SELECT item_id, name, price_cents, quantity FROM order_lines
            WHERE order_number = @number ORDER BY name
            """,
            ("@number", number.Value));
        await using var reader = await command.ExecuteReaderAsync(cancellationToken);
        var lines = new List<OrderLine>();
        while (await reader.ReadAsync(cancellationToken))
        {
            lines.Add(new(reader.GetInt32(0), reader.GetString(1), reader.GetMoney(2), reader.GetInt32(3)));
        }

        return lines;
    }

    /// <summary>Takes pieces out of the stock, which also locks the row until the order is placed.</summary>
    /// <returns>Null when there are fewer, the item is gone or has another price.</returns>
    private static async Task<OrderLine?> TakeAsync(
        DbTransaction transaction, BasketLine wanted, CancellationToken cancellationToken)
    {
        var (id, quantity) = (wanted.Item.Id, wanted.Quantity);
        await using var take = transaction.CreateCommand(
            "UPDATE items SET stock = stock - @quantity WHERE id = @id AND stock >= @quantity",
            ("@id", id),
            ("@quantity", quantity));
        if (await take.ExecuteNonQueryAsync(cancellationToken) == 0)
        {
            return null;
        }

        await using var price = transaction.CreateCommand(
            "SELECT name, price_cents FROM items WHERE id = @id", ("@id", id));
        await using var reader = await price.ExecuteReaderAsync(cancellationToken);
        await reader.ReadAsync(cancellationToken);
        var line = new OrderLine(id, reader.GetString(0), reader.GetMoney(1), quantity);
        return line.Price == wanted.Item.Price ? line : null;
    }

    private async Task InsertAsync(
        DbTransaction transaction,
        OrderNumber number,
        OrderForm form,
        CancellationToken cancellationToken)
    {
        await using var insert = transaction.CreateCommand(
            """
            INSERT INTO orders (number, placed_at, name, email, street, postcode, city, country, note, delivery_cents)
            VALUES (@number, @placed_at, @name, @email, @street, @postcode, @city, @country, @note, 0)
            """,
            ("@number", number.Value),
            ("@placed_at", UtcText.Of(time.GetUtcNow())),
            ("@name", form.Name!),
            ("@email", form.Email!),
            ("@street", form.Street!),
            ("@postcode", form.Postcode!),
            ("@city", form.City!),
            ("@country", form.Country!),
            ("@note", form.Note ?? ""));
        await insert.ExecuteNonQueryAsync(cancellationToken);
    }

    private static async Task SetDeliveryAsync(
        DbTransaction transaction, OrderNumber number, decimal delivery, CancellationToken cancellationToken)
    {
        await using var update = transaction.CreateCommand(
            "UPDATE orders SET delivery_cents = @delivery_cents WHERE number = @number",
            ("@number", number.Value),
            ("@delivery_cents", Money.ToCents(delivery)));
        await update.ExecuteNonQueryAsync(cancellationToken);
    }

    private static async Task InsertAsync(
        DbTransaction transaction, OrderNumber number, OrderLine line, CancellationToken cancellationToken)
    {
        await using var insert = transaction.CreateCommand(
            """
            INSERT INTO order_lines (order_number, item_id, name, price_cents, quantity)
            VALUES (@number, @item_id, @name, @price_cents, @quantity)
            """,
            ("@number", number.Value),
            ("@item_id", line.ItemId),
            ("@name", line.Name),
            ("@price_cents", Money.ToCents(line.Price)),
            ("@quantity", line.Quantity));
        await insert.ExecuteNonQueryAsync(cancellationToken);
    }
}
