namespace FastCgi.Gateway.Doors;

/// <summary>The door that an endpoint requires.</summary>
internal sealed class DoorMetadata(Door door)
{
    public Door Door => door;

    public override string ToString() => $"Server: {Door}";
}
