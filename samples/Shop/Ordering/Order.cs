namespace ShopSample.Ordering;

/// <summary>An order as it was placed: later changes of names and prices do not touch it.</summary>
public sealed record Order(
    OrderNumber Number,
    DateTimeOffset PlacedAt,
    string Name,
    string Email,
    string Street,
    string Postcode,
    string City,
    string Country,
    string Note,
    decimal Delivery,
    IReadOnlyList<OrderLine> Lines)
{
    public decimal Total => Lines.Sum(line => line.Total) + Delivery;
}

public sealed record OrderLine(int ItemId, string Name, decimal Price, int Quantity)
{
    public decimal Total => Price * Quantity;
}
